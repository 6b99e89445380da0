// SPDX-License-Identifier: Apache-2.0
// What the monitors share: the way out to the shim. Events and kinds of state: qsm_lockstep_pkg.
package qsm_monitor_pkg;
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;

  // Report all state in this cycle: at the edge of dump_clock, which goes on where that of an SM
  // stands (sm_owner.md R-PG-3).
  bit dump, dump_clock;

  localparam int unsigned MaskWords = (LineBytes + 31) / 32;

  // Words 0, 1, 2 … of an event stand from the right. late = 1: of the cycle before this one.
  import "DPI-C" function void qsm_dpi_event(input int kind, input int sm, input int sub,
      input int late, input int n_words,
                                             input bit [255:0] words);
  import "DPI-C" function void qsm_dpi_event_wide(input int kind, input int sm, input int sub,
      input int late, input int n_words,
                                                  input bit [2047:0] words);
  import "DPI-C" function void qsm_dpi_state(input int kind, input int sm, input int sub,
      input int index, input int word, input int value);

  // Lane data with the lanes outside the mask as 0.
  function automatic lanes_t masked(input lanes_t data, input mask_t mask);
    for (int unsigned l = 0; l < WarpSize; l++) masked[l] = mask[l] ? data[l] : '0;
  endfunction
endpackage

// SPDX-License-Identifier: Apache-2.0
// What the monitors share: event and state numbers (c_model/qsm_events.h, c_model/qsm_model.h) and
// the way out to the shim.
package qsm_monitor_pkg;
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;

  typedef enum int {
    EvFetch, EvTbop, EvInject, EvIssue, EvTwoLevel, EvQaws, EvResolve, EvPath, EvWb, EvStart,
        EvFinish, EvL1Op, EvLsuPass, EvReq, EvRsp, EvL1Fill, EvL1Gen, EvReturn,
    EvRelease, EvArrive, EvRetire, EvResumed, EvFault,
    EvEpoch, EvQuota, EvQload, EvSample, EvPreempt, EvAsk, EvAdjust, EvEvict, EvClaim, EvDispatch,
        EvTargets, EvEnd, EvL2Op, EvDram, EvMemReq, EvMemRsp
  } event_e;

  typedef enum int {
    StReg, StShared, StLanePc, StLaneDepth, StWarp, StSelect, StScoreboard, StQuota, StTbs, StStall,
        StSlot, StFault, StTarget, StPolicy, StIdle, StJob, StSaved, StTickets, StSaver,
    StWriteBack, StL1, StL1Set,
    StL2, StL2Set, StDram, StWipe
  } state_e;

  // Report all state in this cycle.
  bit dump;

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

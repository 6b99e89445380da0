// SPDX-License-Identifier: Apache-2.0
// Ports of qsm_sample_blocks.
package qsm_sample_pkg;
  typedef struct packed {
    logic        go, clear, read, small_write;
    logic [3:0]  write;
    logic [10:0] read_addr, write_addr;
    logic [31:0] a, b;
    logic [35:0] row;
  } inputs_t;
  typedef struct packed {
    logic [15:0] count, ones, held, cleared, preset;
    logic [35:0] unsigned_product, signed_product;
    logic [63:0] long_product;
    logic [5:0]  small_word;
    logic [35:0] wide_word;
    logic [17:0] half_word, both_a_word, both_b_word;
    logic [8:0]  byte_word;
  } outputs_t;
endpackage

// SPDX-License-Identifier: Apache-2.0
// Steps that start a memory behind LiteDRAM (qsm_dram_steps), and LiteDRAM's words for what a step
// says. Contract: docs/board.md R-BD-12, R-BD-18.
package qsm_dram_steps_pkg;
  localparam int unsigned AddrW = 13;  // of control registers, in bytes

  typedef enum logic [3:0] {
    OpWrite,    // register `addr` gets `data`
    OpTry,      // a try begins here: all lanes are good
    OpMatch,    // a lane whose bytes of register `addr` are not those of `data` is not good
    OpSeen,     // a lane whose bit of register `addr` is 0 is not good
    OpJudge,    // what the try has shown is kept; the next one has the next number
    OpSlip,     // as OpWrite, if the delays of one bit slip have all been tried
    OpAgain,    // back to the first step of a try, until all have been made
    OpSlips,    // as OpWrite, as often as the best setting of lane `data` has bit slips
    OpDelays,   // the same with delays
    OpRequire   // ends here if a lane is not good
  } op_e;

  typedef struct packed {
    op_e              op;
    logic [AddrW-1:0] addr;
    logic [31:0]      data;
    logic [15:0]      pause;  // cycles that pass after it
  } step_t;

  // Bits of LiteDRAM's registers: control, and a command of a phase.
  localparam logic [31:0] ControlHardware = 32'h1;  // the controller is in charge
  localparam logic [31:0] ControlCke = 32'h2;
  localparam logic [31:0] ControlOdt = 32'h4;
  localparam logic [31:0] ControlResetN = 32'h8;
  localparam logic [31:0] CommandNone = 32'h00;
  localparam logic [31:0] CommandActive = 32'h09;     // CS, RAS
  localparam logic [31:0] CommandPrecharge = 32'h0B;  // CS, WE, RAS
  localparam logic [31:0] CommandRefresh = 32'h0D;    // CS, CAS, RAS
  localparam logic [31:0] CommandMode = 32'h0F;       // CS, WE, CAS, RAS
  localparam logic [31:0] CommandCalibrate = 32'h03;  // CS, WE: ZQ
  localparam logic [31:0] CommandWrite = 32'h17;      // CS, WE, CAS, data
  localparam logic [31:0] CommandRead = 32'h25;       // CS, CAS, data
  localparam logic [31:0] AllBanks = 32'h400;         // A10

  function automatic step_t put(input logic [AddrW-1:0] addr, input logic [31:0] data,
                                input logic [15:0] pause);
    return '{op: OpWrite, addr: addr, data: data, pause: pause};
  endfunction
  function automatic step_t step(input op_e op, input logic [AddrW-1:0] addr,
                                 input logic [31:0] data);
    return '{op: op, addr: addr, data: data, pause: 16'd1};
  endfunction
endpackage

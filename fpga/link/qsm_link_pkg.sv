// SPDX-License-Identifier: Apache-2.0
// Numbers of the host link's protocol, and its checksum. Contract: docs/link.md.
package qsm_link_pkg;
  localparam logic [7:0] End = 8'hC0;
  localparam logic [7:0] Esc = 8'hDB;
  localparam logic [7:0] EscEnd = 8'hDC;
  localparam logic [7:0] EscEsc = 8'hDD;

  localparam int unsigned MaxData = 1024;  // bytes of memory in a frame
  localparam int unsigned CrcBytes = 4;
  localparam int unsigned RequestHead = 6;  // sequence number, operation, address
  localparam int unsigned ReplyHead = 12;   // sequence number, operation, status, flags, cycle
  localparam int unsigned BufferW = 11;     // log2 of the bytes of a buffer: one frame fits
  localparam logic [31:0] Magic = 32'h4C4D5351;  // "QSML"
  localparam logic [31:0] Version = 32'd1;

  localparam logic [7:0] OpInfo = 8'd1;
  localparam logic [7:0] OpRead = 8'd2;
  localparam logic [7:0] OpWrite = 8'd3;
  localparam logic [7:0] OpRun = 8'd4;
  localparam logic [7:0] OpMemRead = 8'd5;
  localparam logic [7:0] OpMemWrite = 8'd6;
  localparam logic [7:0] OpMemFill = 8'd7;
  localparam logic [7:0] OpReset = 8'd8;

  localparam logic [7:0] StatusOk = 8'd0;
  localparam logic [7:0] StatusRefused = 8'd1;
  localparam logic [7:0] StatusBadRequest = 8'd2;
  localparam logic [7:0] StatusPortSilent = 8'd3;
  localparam logic [7:0] StatusOutside = 8'd4;
  localparam logic [7:0] StatusMemoryError = 8'd5;
  localparam logic [7:0] StatusMemorySilent = 8'd6;
  localparam logic [7:0] StatusNotDrained = 8'd7;

  // CRC-32 of IEEE 802.3, bits reflected: a frame with its complemented CRC leaves the residue.
  localparam logic [31:0] CrcInit = 32'hFFFFFFFF;
  localparam logic [31:0] CrcResidue = 32'hDEBB20E3;
  function automatic logic [31:0] crc_after(input logic [31:0] crc, input logic [7:0] data);
    crc_after = crc ^ 32'(data);
    for (int i = 0; i < 8; i++) begin
      crc_after = (crc_after >> 1) ^ (crc_after[0] ? 32'hEDB88320 : 32'd0);
    end
  endfunction
endpackage

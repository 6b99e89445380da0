// SPDX-License-Identifier: Apache-2.0
// Ends the simulation of an SoC and says why on the standard output: its program has written a
// code, or +limit=CYCLES have passed. It also says how long the memory takes for the GPU's accesses
// on the first channel, as a bus that does one after the other lets it be counted.
module qsm_sim_end (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        end_i,
  input  logic [31:0] code_i,
  output logic [31:0] cycle_o,  // since the reset
  input  logic        read_i,       // AR is taken
  input  logic        read_end_i,   // the last beat is
  input  logic        write_i,      // AW is taken
  input  logic        write_end_i   // B is
);
  logic [31:0] limit;
  initial if ($value$plusargs("limit=%d", limit) == 0) limit = 32'd20_000_000;

  typedef struct packed {
    logic open;
    logic [31:0] n;
    logic [31:0] cycles;  // from the cycle in which the address is taken on
  } meter_t;
  function automatic meter_t next(meter_t meter, logic start, logic stop);
    next = meter;
    next.open = (meter.open || start) && !stop;
    next.n = meter.n + 32'(start);
    next.cycles = meter.cycles + 32'(meter.open || start);
  endfunction

  meter_t read_q, write_q;
  logic [31:0] cycle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      read_q <= '0;
      write_q <= '0;
    end else begin
      cycle_q <= cycle_q + 32'd1;
      read_q <= next(read_q, read_i, read_end_i);
      write_q <= next(write_q, write_i, write_end_i);
      if (end_i || cycle_q == limit) begin
        $display("\nsoc: memory of the GPU: %0d reads in %0d cycles, %0d writes in %0d", read_q.n,
                 read_q.cycles, write_q.n, write_q.cycles);
        if (end_i) $display("soc: code %0d in cycle %0d", code_i, cycle_q);
        else $display("soc: not ended after %0d cycles", cycle_q);
        $finish;
      end
    end
  end
  assign cycle_o = cycle_q;
endmodule

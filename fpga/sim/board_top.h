// SPDX-License-Identifier: Apache-2.0
// The pins of each board's top, for qsm_board_sim.cpp.
#ifndef BOARD_TOP_H
#define BOARD_TOP_H

#include <memory>

#ifdef QSM_BOARD_ULX3S
#include "Vqsm_ulx3s_sim.h"
using Top = Vqsm_ulx3s_sim;
#else
#include "Vqsm_blockram_top.h"
using Top = Vqsm_blockram_top;
#endif

class BoardTop {
 public:
  BoardTop() : top_(std::make_unique<Top>(&context_)) { start(); }
  ~BoardTop() { top_->final(); }
  void set_rx(bool value) { top_->rx_pin = value; }
  bool tx() const { return top_->tx_pin; }
  bool busy() const { return top_->led_pin & 1; }

#ifdef QSM_BOARD_ULX3S
  // A cycle of the system clock. The memory's is twice as fast; the edges of both, and of the
  // oscillator, are given to the model of the PLL, which checks their ratio.
  void cycle() {
    for (unsigned quarter = 0; quarter < 4; quarter++) {
      top_->pll_sys = quarter < 2;
      top_->pll_sys2x = quarter % 2 == 0;
      top_->clk_pin = quarter < 2;
      top_->eval();
    }
  }

 private:
  void start() {
    top_->clk_pin = 0;
    top_->reset_n_pin = 1;
    top_->eval();
  }
#else
  void cycle() {
    top_->clk_pin = 0;
    top_->eval();
    top_->clk_pin = 1;
    top_->eval();
  }

 private:
  void start() {
    top_->reset_n_pin = 1;
    top_->clk_pin = 0;
    top_->eval();
  }
#endif
  VerilatedContext context_;
  std::unique_ptr<Top> top_;
};

#endif

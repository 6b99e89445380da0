// SPDX-License-Identifier: Apache-2.0
// The pins of each board's top, for qsm_board_sim.cpp.
#ifndef BOARD_TOP_H
#define BOARD_TOP_H

#include <memory>

#ifdef QSM_BOARD_ULX3S
#include "Vqsm_ulx3s_sim.h"
using Top = Vqsm_ulx3s_sim;
#elif defined QSM_BOARD_ORANGECRAB
#include "Vqsm_orangecrab_sim.h"
using Top = Vqsm_orangecrab_sim;
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
#ifdef QSM_BOARD_ORANGECRAB
  bool busy() const { return !(top_->led_n_pin & 1); }

  // A cycle of the oscillator, which is one of the clock of all but the memory, while that runs:
  // two of the PLL's clock, half a one of its second clock. Each quarter of the memory's clock
  // begins with the edges there are, and in its midst is looked at.
  void cycle() {
    for (unsigned quarter = 0; quarter < 8; quarter++) {
      top_->clk_pin = quarter < 4;
      top_->pll_clk_pin = quarter % 4 < 2;
      top_->pll_second_pin = phase_ == 0;
      if (quarter % 2 == 0) top_->eval();
      top_->quarter_pin = !top_->quarter_pin;
      top_->eval();
    }
    phase_ ^= 1;
  }

 private:
  unsigned phase_ = 0;
  void start() {
    top_->reset_n_pin = 1;
    top_->eval();
  }
#else
  bool busy() const { return top_->led_pin & 1; }
#endif

#ifdef QSM_BOARD_ULX3S
  // A cycle of the PLL's clock, and the part of the oscillator's that it is; the PLL's second clock
  // is a quarter behind.
  void cycle() {
    for (unsigned quarter = 0; quarter < 4; quarter++) {
      top_->clk_pin = (4 * phase_ + quarter) / (2 * QSM_PLL_TIMES) % 2 == 0;
      top_->pll_clk_pin = quarter < 2;
      top_->pll_second_pin = quarter == 1 || quarter == 2;
      top_->eval();
    }
    phase_ = (phase_ + 1) % QSM_PLL_TIMES;
  }

 private:
  unsigned phase_ = 0;
  void start() {
    top_->reset_n_pin = 1;
    top_->eval();
  }
#elif !defined QSM_BOARD_ORANGECRAB
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

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulated OrangeCrab: PLL, LiteDRAM with its PHY, models of the ECP5's cells and a DDR3 chip that checks its times, all at the pins. The chip's model ends the
# simulation at the first broken rule (negative controls: tb/unit/ddr3, tb/unit/ddr3_chip).
config=tiny+l2_kib-1+mem_bytes-1310720
sim=build/board/orangecrab/$config/sim
. "$(dirname "$0")/common.sh"

board
verdict 'R-BD-7 to R-BD-11, R-BD-13, R-BD-20: memory: every byte read is the one written last, also while the GPU has run' \
  "$(timeout 200 tb/board/memory_traffic.py "$tty" 1310720 1 25 2>&1 | sed 's/ [0-9]* bytes/ bytes/')" '25 turns, bytes written, 0 wrong'
verdict 'R-BD-1 to R-BD-5, R-BD-16: saxpy on the board' "$("${saxpy[@]}" "serial:$tty" $config 2>&1 | cycles | sed 's/, [0-9]* cycles/, cycles/')" '1000 elements, 0 wrong, cycles'
if [ -n "${QSM_TEST_FULL:-}" ]; then
  verdict 'R-HL-13, R-BD-11: and again, after a reset of the GPU' "$("${saxpy[@]}" "serial:$tty" $config 2>&1 | cycles | sed 's/, [0-9]* cycles/, cycles/')" '1000 elements, 0 wrong, cycles'
fi
unplug
verdict 'R-BD-2, R-BD-18 to R-BD-25: PLL, cells and chip have seen no broken rule' "$code $(grep -c Error "$work/sim.out")" '0 0'
finish

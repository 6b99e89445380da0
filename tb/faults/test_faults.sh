#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The harness sees real faults of the RTL: one each in arithmetic, divergence, memory, barrier, quota and dispatch, on tiny. All: make faults.
exec python3 tb/faults/faults.py run tb/faults/faults.txt build/faults --configs tiny --cycles 200000 --no-units \
  --pattern '^(alu.borrow|select.depth-order|lsu_return.word|barrier.early|quota.closed-at-zero|tb_kernel.early-dispatch)$'

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The quick proofs, with their cover statements and broken copies. All: make formal.
exec build/venv/bin/python tb/formal/formal.py tb/formal/proofs.txt tb/formal/broken.txt build/formal --jobs 1 \
  --pattern '^(rr_arb.five|fifo.three|two_level.five|qaws_gto.prose|first_fit.eight|qos_arith_step.any|tb_kernel.small)$'

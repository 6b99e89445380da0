#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The quick proofs, with their cover statements and broken copies; with QSM_TEST_FULL two more, which have the most broken copies. All: make formal.
quick='rr_arb.five|fifo.three|qaws_gto.prose|first_fit.eight|qos_arith_step.any'
[ -n "${QSM_TEST_FULL:-}" ] && quick="$quick|two_level.five|tb_kernel.small"
exec build/venv/bin/python tb/formal/formal.py tb/formal/proofs.txt tb/formal/broken.txt build/formal --jobs 1 --pattern "^($quick)$"

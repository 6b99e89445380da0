#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The quick proofs, with their cover statements and a broken copy each; with QSM_TEST_FULL two more, and all broken copies. All: make formal.
quick='rr_arb.five|fifo.three|qaws_gto.prose|first_fit.eight|qos_arith_step.any'
broken=(--broken 1)
[ -n "${QSM_TEST_FULL:-}" ] && quick="$quick|two_level.five|tb_kernel.small" broken=()
exec build/venv/bin/python tb/formal/formal.py tb/formal/proofs.txt tb/formal/broken.txt build/formal --jobs 1 --pattern "^($quick)$" "${broken[@]}"

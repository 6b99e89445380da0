#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Negative control of the bench of the DDR3 chip: faults made in its model, each of which the bench must see. `make test` makes one, `make test-full` all. Faults of
# controllers and of starts are in the benches themselves (tb/unit/ddr3_chip, tb/unit/ddr3).
. "$(dirname "$0")/../tap.sh"
tb/board/faults.py "$work/faults" tb/board/faults_ddr3.txt $([ -n "${QSM_TEST_FULL:-}" ] || echo --first 1)

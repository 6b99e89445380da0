#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Negative controls of benches: faults made in the host link, in the start of a DDR3 memory and in the model of its chip, each of which the bench must see.
# `make test` makes two in the link, `make test-full` all.
. "$(dirname "$0")/../tap.sh"
tb/board/faults.py "$work/link" tb/board/faults_link.txt $([ -n "${QSM_TEST_FULL:-}" ] || echo --first 2)

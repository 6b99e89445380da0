#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Negative control of the host link's bench: faults made in it, each of which the bench must see. `make test` makes two, `make test-full` all.
. "$(dirname "$0")/../tap.sh"
tb/board/faults.py "$work/faults" $([ -n "${QSM_TEST_FULL:-}" ] || echo --first 2)

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lockstep sees real faults of the RTL: one each in issue, execution, memory, barrier, quota and the scheduler of blocks, on tiny. All: make faults.
exec build/venv/bin/python tb/mutate/mutate.py run build/mutate/hand --configs tiny --cycles 200000 --no-benches --again \
  --only claimed-late branch-sense credit early refill-naive victim

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The control port behind an AXI4-Lite master that others wrote (cocotbext-axi), R-CP-8 to R-CP-11; in test-full only.
set -u
cd "$(dirname "$0")/../.." || exit 2
if [ -z "${QSM_TEST_FULL:-}" ]; then
  echo 'ok 1 - R-CP-8: qsm_axil and cocotbext-axi # SKIP in test-full only'
  echo '1..1'
  exit 0
fi
work=build/axil
mkdir -p $work
sed "s/whole = w_strb == '1/whole = w_strb != '0/" rtl/qsm_axil.sv > $work/qsm_axil.sv
cmp -s rtl/qsm_axil.sv $work/qsm_axil.sv && { echo 'not ok 1 - the broken copy is not broken'; exit 1; }

drive() { # RTL, folder; what it says goes to a log there
  mkdir -p "$work/$2"
  build/venv/bin/python tb/axil/run.py "$1" "$work/$2" > "$work/$2.log" 2>&1
}

if drive rtl/qsm_axil.sv port; then echo 'ok 1 - R-CP-8: every access of cocotbext-axi has its answer'
else echo 'not ok 1 - R-CP-8: every access of cocotbext-axi has its answer'; tail -n 30 $work/port.log | sed 's/^/# /'; fi
if drive $work/qsm_axil.sv broken; then echo 'not ok 2 - a port that takes parts of words is seen'
else grep -q 'assert .*part of a word' $work/broken.log && echo 'ok 2 - a port that takes parts of words is seen' || echo 'not ok 2 - the broken copy did not run'; fi
echo '1..2'

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program of the SoC's CPU, on the model (docs/soc.md R-LX-7): two kernels alone and side by side, and what must be seen.
. "$(dirname "$0")/../tap.sh"

# demo PROGRAM CONFIGURATION: exit code, and what the program says of itself.
demo() {
  build/litex/"$1" model "$2" >"$work/out" 2>&1
  code=$?
  sed 's/^/# /' "$work/out"
}
demo host tiny+l2_kib-1
verdict 'R-LX-7: both kernels alone, then together; the goal is reached' "$code $(grep -c 'wrong 0$' "$work/out") $(tail -n 1 "$work/out")" '0 6 PASS'
demo host fpga+l2_kib-16
verdict 'the same on four SMs' "$code $(grep -c 'wrong 0$' "$work/out") $(tail -n 1 "$work/out")" '0 6 PASS'
demo host-wrong tiny+l2_kib-1
verdict 'R-LX-7: one wrong word fails' "$code $(tail -n 1 "$work/out") $(grep -o 'FAILED: wrong words.*' "$work/out" | head -n 1)" '1 FAIL FAILED: wrong words in the result'
demo host-outside tiny+l2_kib-1
verdict 'R-LX-7: so does a kernel that is killed, and its fault is said' "$code $(tail -n 1 "$work/out") $(grep -o 'killed: cause [0-9]*' "$work/out" | head -n 1)" '1 FAIL killed: cause 7'
demo host-stuck tiny+l2_kib-1
verdict 'R-LX-7: and one that does not end' "$code $(tail -n 1 "$work/out") $(grep -o 'no interrupt comes' "$work/out")" '1 FAIL no interrupt comes'
finish

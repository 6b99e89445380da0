#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of the suite at size S on the simulated boards, over their serial lines: with block RAM a model runs beside the board and all that the host sees is
# the model's, to the cycle; with SDRAM the outputs are checked. With QSM_TEST_FULL all programs, and longer random ones.
sim=
. "$(dirname "$0")/common.sh"
small=tiny+l2_kib-1+mem_bytes-1310720 large=tiny+l2_kib-1+mem_bytes-4194304
needing_large=' sgemm cfd car '  # more memory than small has
programs=throttle on_sdram=throttle fuzz=12000
if [ -n "${QSM_TEST_FULL:-}" ]; then
  programs=$(build/qsm kernels | cut -d ' ' -f 1)
  on_sdram=$programs fuzz=1000000
fi

# One pass, in so many cycles.
one_pass() { # PROGRAM CYCLES
  printf 'config: tiny\ncycles: %s\nsize: S\nkernels: [{program: %s, launches: 1}]\n' "$2" "$1" >"$work/s.yaml"
}
run() { # OPTION...
  build/qsm run --quiet --config "$config" --out "$work/out" --overwrite "$@" "$work/s.yaml" >"$work/log" 2>&1
}
# Outputs right, outputs wrong, and the last cycle, to an epoch, in which an instruction was issued.
seen() {
  python3 - "$work/out/result.json" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))
kernel = result["kernels"][0]
print(kernel["checks_passed"], kernel["checks_failed"], max(epoch["cycle"] for epoch in result["epochs"] if epoch["ipc"][0] > 0))
P
}

# The time of a pass is that on the model; on SDRAM it may be more.
suite_on() { # BOARD BACKEND TIMES RULE PROGRAM...
  local name=$1 backend=$2 all_times=$3 rule=$4 program last times code
  shift 4
  for config in $small $large; do
    sim=build/board/$name/$config/sim
    board=
    for program; do
      [[ $needing_large == *" $program "* ]] && [ $config = $small ] && continue
      [[ $needing_large != *" $program "* ]] && [ $config = $large ] && continue
      [ -n "$board" ] || board
      one_pass "$program" 4000000
      if ! run; then
        verdict "$program on the model" "$(cat "$work/log")" ''
        continue
      fi
      read -r _ _ last < <(seen)
      for times in $all_times; do
        one_pass "$program" $((last * times + 2000))
        run --backend "$backend:$tty"
        code=$?
        grep -q 'did not finish within' "$work/log" || break
      done
      verdict "$rule, R-BD-17: $name: $program, $last cycles on the model" "$code $(seen | cut -d ' ' -f 1-2) $(head -c 300 "$work/log")" '0 1 0 '
    done
    [ -n "$board" ] || continue
    if [ "$name $config" = "blockram $small" ]; then fuzz_on; fi
    unplug
    verdict "$rule: $name: no assertion failed" "$code" 0
  done
}

fuzz_on() {
  verdict "R-HL-19: random programs, launches and commands, $fuzz cycles: all that the host sees is the model's" \
    "$(build/qsm fuzz --quiet --config $small --cycles $fuzz --seed 1 --board "$tty" --out "$work/fuzz" 2>&1 | grep -c 'board: .* without a difference')" 1
  # Not every bit is of use to what is read later.
  for seed in 2 3 4 5 6; do
    build/qsm fuzz --quiet --config $small --cycles 12000 --seed $seed --board "$tty" --out "$work/fuzz" --inject ctrl >"$work/log" 2>&1
    code=$?
    [ $code = 1 ] && break
  done
  verdict 'R-HL-19: a bit flipped in the model is seen' "$code $(grep -c 'board and model differ: cycle ' "$work/log")" '1 1'
}

# shellcheck disable=SC2086 # lists of names
{
  suite_on blockram checked:serial 1 'R-BD-6, R-HL-19' $programs
  suite_on ulx3s serial '2 4 8 16' 'R-BD-8 to R-BD-10' $on_sdram
  if [ -n "${QSM_TEST_FULL:-}" ]; then suite_on orangecrab serial '2 4 8 16' 'R-BD-8 to R-BD-10' $on_sdram; fi
}
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Negative control of the benches of DDR3 memory: faults made in its start or in the model of its chip, each of which the bench must see. `make test` makes one in the
# chip, `make test-full` all: the benches have negative controls of their own.
. "$(dirname "$0")/../tap.sh"
full=${QSM_TEST_FULL:-}
for list in chip ${full:+start}; do
  tb/board/faults.py "$work/$list" tb/board/faults_ddr3_$list.txt $([ -n "$full" ] || echo --first 1) >"$work/out"
  while read -r line; do
    case $line in
      ok*) verdict "$list: ${line#* - }" seen seen ;;
      'not ok'*) verdict "$list: ${line#* - }" 'not seen' seen ;;
      '#'*) echo "$line" ;;
    esac
  done <"$work/out"
done
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs everything that `make coverage` counts: run.sh FOLDER FUZZ_CYCLES CONFIG...
# Counts go to FOLDER/counts, one file per Verilated model, and what was run to FOLDER/counts/runs. The first failure ends it.
set -euo pipefail
folder=$1 cycles=$2
shift 2
root=$PWD/$folder/root
export QSM_COVERAGE=$PWD/$folder/counts
rm -rf "$QSM_COVERAGE"
mkdir -p "$QSM_COVERAGE"

counted() { # WHAT COMMAND...: it ends well, and no test in it fails
  local what=$1
  shift
  "$@" >"$QSM_COVERAGE/log" 2>&1 && ! grep -q '^not ok' "$QSM_COVERAGE/log" || { cat "$QSM_COVERAGE/log"; echo "failed: $what"; exit 1; }
  echo "$what" | tee -a "$QSM_COVERAGE/runs"
}

for bench in "$folder"/unit/*/*/run; do
  name=${bench#"$folder/unit/"}
  counted "unit bench ${name%/run}" "$bench"
done
for config in "$@"; do
  QSM_ROOT=$root counted "$cycles cycles of fuzz on $config in lockstep" \
    build/qsm fuzz --config "$config" --cycles "$cycles" --seed 1 --quiet --out "$folder/out"
  QSM_ROOT=$root counted "examples/$config.yaml in lockstep" \
    build/qsm run "examples/$config.yaml" --backend lockstep --quiet --overwrite --out "$folder/out"
done
QSM_ROOT=$root counted 'programs over AXI4' tb/axi/test_axi_programs.sh

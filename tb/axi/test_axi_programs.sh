#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of the suite on a GPU whose memory is behind AXI4: every output right, also with atomics, and with loads and stores that pass the L2 by.
. "$(dirname "$0")/../tap.sh"

runs_right() { # PROGRAM CACHE CYCLES
  printf 'config: tb/axi/axi.yaml\nscheme: none\ncycles: %s\nsize: S\nkernels:\n  - program: %s\n    cache: %s\n' "$3" "$1" "$2" >"$work/one.yaml"
  build/qsm run "$work/one.yaml" --backend rtl --out "$work/out" >"$work/log" 2>&1
  verdict "$1 over AXI4, cache $2" "$? $(grep -o '[0-9]* ok, [0-9]* wrong.*' "$work/log" | sed 's/^[1-9][0-9]*/N/')" '0 N ok, 0 wrong'
}

for program in vadd histogram bfs histo; do runs_right $program s0 60000; done
runs_right sad s0 200000
runs_right bfs s2 100000
runs_right histo s2 60000
verilator --lint-only -Wno-lint -Wno-style --top-module qsm_gpu_axi -f build/cfg/tiny/files.f >"$work/log" 2>&1
verdict 'R-AX-2: a GPU without an L2 is refused' "$? $(grep -o 'l2_kib = 0, but AXI4 has no atomic operations' "$work/log" | head -n 1)" \
  '1 l2_kib = 0, but AXI4 has no atomic operations'
finish

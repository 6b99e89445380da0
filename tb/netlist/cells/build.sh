#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilates the bench of the cells' models, with Yosys' models beside them: build.sh FOLDER -> FOLDER/run
set -euo pipefail
share=$(build/venv/bin/python -c 'import pathlib, importlib.util; print(pathlib.Path(importlib.util.find_spec("pyosys").origin).parent / "share/lattice")')
mkdir -p "$1"
verilator --cc --exe --build --assert --x-assign unique --x-initial unique -Wno-lint -Wno-style -Wno-fatal -Werror-USERERROR -Werror-USERFATAL -DNO_INCLUDES --Mdir "$1" -o run \
  --top-module qsm_cells_bench -MAKEFLAGS "CXX=clang++-19 LINK=clang++-19 OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0" \
  tb/netlist/qsm_{dp16kd,lut4,mult18x18d,trellis_dpr16x4,trellis_ff}.sv "-I$share" "$share/cells_sim_ecp5.v" \
  tb/netlist/cells/qsm_cells_bench.sv "$PWD/tb/netlist/cells/test_cells.cpp"

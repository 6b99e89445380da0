#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parameters.py LIST FOLDER: writes FOLDER/qsm_parameters.h for C++, with the parameters (-GNumSms=3) and definitions (-DN_ROUNDS=20)
among the arguments of Verilator in LIST, and with the configuration whose package is there: NUM_SMS is 3. A name of one letter gets
PARAM_ before it. Without arguments, as FuseSoC calls it: the list and the folder are where it stands."""
import pathlib
import re
import sys


def macro(name):
    return f"PARAM_{name}" if len(name) == 1 else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


arguments, folder = sys.argv[1:] or (next(pathlib.Path().glob("*.vc")), ".")
configured, given = {}, {}
for word in pathlib.Path(arguments).read_text().split():
    if match := re.fullmatch(r"-[GD](\w+)=(\d+)", word):
        given[macro(match[1])] = match[2]
    elif word.endswith("/qsm_cfg_pkg.sv"):
        for name, value in re.findall(r"localparam int unsigned (\w+) = (\d+);", pathlib.Path(word).read_text()):
            configured[macro(name)] = value
values = configured | given
lines = ["// From Verilator's arguments; do not edit.", "#pragma once", *(f"#define {name} {value}" for name, value in values.items())]
pathlib.Path(folder, "qsm_parameters.h").write_text("\n".join(lines) + "\n")

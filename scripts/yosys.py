#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A yosys command made of pyosys, which comes without one: yosys.py [-q] [-l LOG | -ql LOG] [-p COMMANDS] [SCRIPT]"""
import argparse
import os

from pyosys import libyosys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-q", action="store_true", help="nothing to the terminal but errors")
    parser.add_argument("-l", metavar="LOG")
    parser.add_argument("-p", metavar="COMMANDS")
    parser.add_argument("script", nargs="?")
    options = parser.parse_args()
    design = libyosys.Design()
    into_log = f"tee -q -o {options.l} " if options.l else ""
    if options.q:  # Yosys writes to file descriptor 1 whatever it is told
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for command in filter(None, (options.script and f"script {options.script}", options.p)):
        libyosys.run_pass(into_log + command, design)


if __name__ == "__main__":
    main()

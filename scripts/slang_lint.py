#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Elaborates the RTL with slang; any error or warning fails: slang_lint.py TOP FILE_LIST [OPTIONS OF SLANG]"""

import sys

from pyslang.driver import Driver


# House style wants a default in every case, and widths come from parameters: a cast may be useless in one configuration only.
AGAINST_STYLE = "-Wno-case-redundant-default -Wno-useless-cast"


def main():
    top, file_list, *options = sys.argv[1:]
    driver = Driver()
    driver.addStandardArgs()
    arguments = f"slang --top {top} -f {file_list} -Wextra -Werror {AGAINST_STYLE} --timescale 1ns/1ps {' '.join(options)}"
    if not driver.parseCommandLine(arguments):
        return 2
    if not (driver.processOptions() and driver.parseAllSources()):
        return 1
    driver.reportCompilation(driver.createCompilation(), quiet=True)
    return 0 if driver.reportDiagnostics(quiet=True) else 1


if __name__ == "__main__":
    sys.exit(main())

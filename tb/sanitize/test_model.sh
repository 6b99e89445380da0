#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C tests of the model, block by block and whole, under the address and undefined-behaviour sanitizers (common.sh); those of sw/ have no
# build with sanitizers.
. "$(dirname "$0")/common.sh"
c_tests $(ls tb/*/test_*.c | cut -d / -f 2 | sort -u | grep -v -x -e host -e sw)
finish

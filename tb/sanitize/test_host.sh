#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C tests of libqsm under the address and undefined-behaviour sanitizers (common.sh).
. "$(dirname "$0")/common.sh"
c_tests host
finish

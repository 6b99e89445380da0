#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on fpga: RTL and model equal in every cycle.
. tb/system/fuzz.sh
fuzz fpga 250000 3 1

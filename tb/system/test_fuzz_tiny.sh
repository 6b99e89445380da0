#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on tiny: RTL and model equal in every cycle.
. tb/system/fuzz.sh
fuzz tiny 1200000 3 1

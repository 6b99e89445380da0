#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on odd: RTL and model equal in every cycle.
. tb/system/fuzz.sh
fuzz odd 400000 4 1

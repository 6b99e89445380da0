#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on wang2017_sm: RTL and model equal in every cycle.
. tb/system/fuzz.sh
fuzz wang2017_sm 50000 2 1

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on demo: RTL and model equal in every cycle.
. tb/system/fuzz.sh
fuzz demo 150000 3 1

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on wang2017: RTL and model equal in every cycle.
. tb/system/fuzz.sh
only_in_full 'fuzz of wang2017'
fuzz wang2017 15000 2 1

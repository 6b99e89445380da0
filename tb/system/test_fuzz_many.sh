#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, launches, goals, policies and schemes on 70 small SMs, whose masks have three words, and on two SMs each of the
# papers' larger machines, four where they have shader arrays: RTL and model equal in every cycle.
. tb/system/fuzz.sh
only_in_full 'fuzz of 70 SMs and of the papers'"'"' machines'
QSM_TEST_FULL='' fuzz tiny+num_sms-70+qos_lat-500 60000 1 3
for config in wang2017_56 titanv smqos; do QSM_TEST_FULL='' fuzz $config+num_sms-2 100000 1 1; done
QSM_TEST_FULL='' fuzz rdna2+num_sas-2+num_sms-4 100000 1 1

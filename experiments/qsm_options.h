// SPDX-License-Identifier: Apache-2.0
// Options of the experiments' host programs.
#ifndef QSM_OPTIONS_H
#define QSM_OPTIONS_H

#include <argp.h>
#include <stdint.h>

// The option's number; ends the program with a message where text is none from least to largest.
uint64_t qsm_option_number(struct argp_state *state, const char *option, const char *text,
                           uint64_t least, uint64_t largest);

#endif

// SPDX-License-Identifier: Apache-2.0
// GTKWave save files: which signals of a waveform to show, in groups.
#ifndef QSM_WAVES_H
#define QSM_WAVES_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_backend.h"
#include "qsm_output.h"

// Cycles of a waveform around a difference.
enum {
  QSM_WAVES_BEFORE_CYCLES = 200,
  QSM_WAVES_AFTER_CYCLES = 20,
  QSM_WAVES_AROUND_CYCLES = QSM_WAVES_BEFORE_CYCLES + QSM_WAVES_AFTER_CYCLES
};

// Options of a backend that writes the cycles around `cycle` to wave_path and does nothing else.
struct qsm_backend_options qsm_waves_around(const char *wave_path, uint64_t cycle);

// Ends a waveform X.fst, which a backend has put at wave->place, and writes X.gtkw beside it: the
// save file of the configuration (a name or a path, as qsm_config_load takes it), made to open this
// waveform with n_cycles in sight. Returns 0, or -1 with a message.
int qsm_waves_close(struct qsm_output *wave, const char *config, uint64_t n_cycles, char *msg,
                    size_t msg_len);

#endif

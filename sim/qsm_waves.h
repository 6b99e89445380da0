// SPDX-License-Identifier: Apache-2.0
// GTKWave save files: which signals of a waveform to show, in groups.
#ifndef QSM_WAVES_H
#define QSM_WAVES_H

#include <stddef.h>
#include <stdint.h>

// Writes X.gtkw beside a waveform X.fst: the save file of the configuration (a name or a path, as qsm_config_load takes it), made to
// open this waveform with n_cycles in sight. Returns 0, or -1 with a message.
int qsm_waves_write_save_file(const char *config, const char *wave_path, uint64_t n_cycles, char *msg, size_t msg_len);

#endif

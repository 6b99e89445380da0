// SPDX-License-Identifier: Apache-2.0
// What a program with persistent workers and the host library tell each other (docs/workers.md):
// offsets in bytes and values, for C and assembler.
#ifndef QSM_WORKER_JOB_H
#define QSM_WORKER_JOB_H

// Words of the job, which ends where the argument block begins (CSR arg).
#define QSM_JOB_BYTES 64
#define QSM_JOB_FORM -64   // QSM_FORM_...
#define QSM_JOB_FIRST -60  // SMs of the range
#define QSM_JOB_COUNT -56
#define QSM_JOB_PER_SM -52  // workers of an SM, rh
#define QSM_JOB_GRID_X -48  // of the tasks
#define QSM_JOB_GRID_Y -44
#define QSM_JOB_GRID_Z -40
#define QSM_JOB_TASKS -36         // x * y * z
#define QSM_JOB_STATE -32         // address of what workers share
#define QSM_JOB_WARPS_PER_SM -28  // of the configuration

#define QSM_FORM_PLAIN 0
#define QSM_FORM_RH 1
#define QSM_FORM_SLATE 2
#define QSM_FORM_PERSISTENT 3

// What workers share, each part in lines of its own.
#define QSM_WORKER_REPORT 0     // what is left to do, for the host: no kernel reads it
#define QSM_WORKER_QUEUE 128    // slate: the next task
#define QSM_WORKER_RETREAT 256  // slate: not 0: leave
#define QSM_WORKER_PLACES 384   // rh: for each place of each SM, the SM's together:
#define QSM_WORKER_PLACE_BYTES 384
#define QSM_WORKER_DOOR 0     // the lock's words: who came last,
#define QSM_WORKER_INSIDE 4   // who is in,
#define QSM_WORKER_WANTS 128  // who wants in, by warp slot
#define QSM_WORKER_TAKEN 8    // some worker of this launch has had it

#define QSM_WORKER_LEAVE -1  // instead of a task

#endif

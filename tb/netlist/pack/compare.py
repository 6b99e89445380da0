#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/ecp5_pack.py on random netlists of LUTs and carry cells: compare.py SEED NETLISTS [--break] [--netlist FILE]

Of each netlist all outputs are computed before and after for random inputs, by the cells' definitions (Yosys' cells_sim_ecp5.v), written here
again. --break flips a bit that counts of a LUT or carry cell after packing. --netlist: NETLISTS times this one, by Yosys and not packed; what
flip-flops, memories and multipliers have at their outputs is random, and compared is what they get. Prints what was found.
"""
import argparse
import collections
import copy
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import ecp5
import ecp5_pack
import fpga

N_ROWS = 256  # of inputs, at once
ONES = (1 << N_ROWS) - 1
LOGIC = ("LUT4", "PFUMX", "CCU2C")


def lut(init, operands):
    """Output of a LUT for all rows."""
    out = 0
    for row in range(1 << len(operands)):
        if init >> row & 1:
            term = ONES
            for at, operand in enumerate(operands):
                term &= operand if row >> at & 1 else ~operand
            out |= term
    return out & ONES


def values(module, inputs):
    """{net: its value in all rows}."""
    known = {"0": 0, "1": ONES, "x": 0, **inputs}
    drivers = {bit: cell for cell in module["cells"].values() for pin, bits in cell["connections"].items()
               if cell["type"] in LOGIC and cell["port_directions"][pin] == "output" for bit in bits}

    def value(net):
        if net not in known:
            compute(drivers[net])
        return known[net]

    def compute(cell):
        pins = {pin: bits[0] for pin, bits in cell["connections"].items() if bits}
        kind, parameters = cell["type"], cell["parameters"]
        if kind == "LUT4":
            known[pins["Z"]] = lut(int(parameters["INIT"], 2), [value(pins[pin]) for pin in "ABCD"])
        elif kind == "PFUMX":
            known[pins["Z"]] = value(pins["C0"]) & value(pins["ALUT"]) | ~value(pins["C0"]) & value(pins["BLUT"]) & ONES
        else:
            carry = value(pins.get("CIN", "0"))
            for half in "01":
                init = int(parameters[f"INIT{half}"], 2)
                operands = [value(pins[f"{pin}{half}"]) for pin in "ABCD"]
                total, other = lut(init, operands), lut(init & 15, operands[:2])
                known[pins.get(f"S{half}")] = total ^ carry
                carry = total & carry | ~total & other & ONES
            known[pins.get("COUT")] = carry

    sys.setrecursionlimit(100_000)
    for bit in drivers:
        value(bit)
    return known


def next_state(module, known):
    """{flip-flop without an asynchronous reset: what it is next, or its inputs}."""
    found = {}
    for name, cell in module["cells"].items():
        if cell["type"] == "TRELLIS_FF":
            pins = {pin: known[bits[0]] for pin, bits in cell["connections"].items() if pin != "CLK" and bits}
            mux, value = {key: text.strip() for key, text in cell["parameters"].items()}, ONES * (cell["parameters"].get("REGSET") == "SET")
            enable = ONES if mux.get("CEMUX", "1") == "1" else pins["CE"] ^ ONES * (mux["CEMUX"] == "INV")
            reset = pins.get("LSR", 0) ^ ONES * (mux.get("LSRMUX") == "INV")
            state = enable & pins["DI"] | ~enable & pins["Q"] & ONES
            found[name] = (pins, mux) if mux.get("SRMODE") == "ASYNC" else reset & value | ~reset & state
    return found


def made_cell(kind, parameters, inputs, outputs):
    return {"hide_name": 0, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": {**{pin: "input" for pin in inputs}, **{pin: "output" for pin in outputs}},
            "connections": {pin: [net] for pin, net in {**inputs, **outputs}.items()}}


def made(draw):
    """A module: trees of LUTs, multiplexers among them, between inputs, adders and outputs."""
    cells, nets, n_inputs = {}, list(range(2, 18)), 16
    unread, hidden = [], set()

    def new_net():
        nets.append(len(nets) + 2)
        return nets[-1]

    def source():
        if unread and draw.random() < 0.75:
            return unread.pop(draw.randrange(len(unread)))
        return "01"[draw.randrange(2)] if draw.random() < 0.05 else anything()

    def anything():
        return draw.choice([net for net in nets if net not in hidden])

    def add_lut():
        n_used = draw.choice((2, 3, 3, 4))
        pins = [source() for _ in range(n_used)]
        small = draw.choice((0xca, draw.getrandbits(8))) if n_used == 3 else draw.getrandbits(1 << n_used)
        table = small
        for more in range(n_used, 4):
            table |= table << (1 << more)
        pins = {pin: net for pin, net in zip("ABCD", pins + ["0"] * 4)}
        cells[f"lut{len(cells)}"] = made_cell("LUT4", {"INIT": format(table, "016b")}, pins, {"Z": new_net()})
        unread.append(nets[-1])

    def add_adder():
        carry, inverted = draw.choice(("0", "1")), draw.choice(("0", "1"))
        for _ in range(draw.randrange(1, 4)):
            operands = {f"{pin}{half}": net for half in "01" for pin, net in (("A", source()), ("B", source()), ("C", inverted), ("D", "1"))}
            outputs = {pin: new_net() for pin in ("S0", "S1", "COUT")}
            if draw.random() < 0.8:  # for what is known to read them, nobody else
                hidden.update(outputs.values())
            cells[f"add{len(cells)}"] = made_cell("CCU2C", {"INIT0": format(0x96aa, "016b"), "INIT1": format(0x96aa, "016b"),
                                                            "INJECT1_0": "NO", "INJECT1_1": "NO"}, {"CIN": carry, **operands}, outputs)
            carry = outputs["COUT"]
            unread.extend((outputs["S0"], outputs["S1"]))

    def add_counter():
        """Sums behind which one control chooses."""
        n_before = len(unread)
        control, inverted = anything(), draw.random() < 0.5
        add_adder()
        sums = unread[n_before:]
        del unread[n_before:]
        for each in sums:
            pins = {"A": each, "B": control, "C": draw.choice(("0", "1", anything())), "D": "1"}
            cells[f"lut{len(cells)}"] = made_cell("LUT4", {"INIT": format(0xe2e2 if inverted else 0xb8b8, "016b")}, pins, {"Z": new_net()})
            unread.append(nets[-1])

    def add_clear():
        """Flip-flops that one control clears, for some in all cycles, for some in those of an enable."""
        control, row, enable = anything(), draw.randrange(1, 4), draw.choice((None, anything()))
        mux = "1" if enable is None else draw.choice(("CE", "INV"))
        for _ in range(draw.randrange(2, 9)):
            data, each = anything(), draw.randrange(1, 4) if draw.random() < 0.1 else row
            cells[f"lut{len(cells)}"] = made_cell("LUT4", {"INIT": format(0x1111 << each, "016b")},
                                                  {"A": data, "B": control, "C": "0", "D": "0"}, {"Z": new_net()})
            hidden.add(nets[-1])
            inputs = {"CLK": nets[0], "DI": nets[-1], "LSR": "0", **({} if enable is None else {"CE": enable})}
            cells[f"ff{len(cells)}"] = made_cell("TRELLIS_FF", {"CEMUX": mux, "REGSET": draw.choice(("RESET", "RESET", "RESET", "SET")), "LSRMUX": "LSR"},
                                                 inputs, {"Q": new_net()})

    for _ in range(4):
        add_clear()
    for _ in range(6):
        add_counter()
    for _ in range(60):
        add_adder() if draw.random() < 0.2 else add_lut()
    ports = {"in": {"direction": "input", "bits": nets[:n_inputs]}, "out": {"direction": "output", "bits": list(unread)}}
    return {"ports": ports, "cells": cells, "netnames": {f"n{net}": {"bits": [net], "attributes": {}} for net in nets}}


def ends_of(module):
    """(nets that come from elsewhere, nets that go elsewhere)."""
    inputs = {bit for port in module["ports"].values() if port["direction"] == "input" for bit in port["bits"]}
    outputs = {bit for port in module["ports"].values() if port["direction"] == "output" for bit in port["bits"]}
    for cell in module["cells"].values():
        if cell["type"] == "TRELLIS_FF":  # see next_state()
            inputs.update(cell["connections"]["Q"])
        elif cell["type"] not in LOGIC:
            for pin, bits in cell["connections"].items():
                (outputs if cell["port_directions"][pin] == "input" else inputs).update(bits)
    return (sorted(bit for bit in bits if isinstance(bit, int)) for bits in (inputs, outputs))


def longest(module):
    timing = fpga.Netlist("", module)
    timing.measure()
    return max(timing.ends_by_level(), default=0), timing


def break_cell(module, draw):
    """One bit that some row of constants does not hide."""
    cell = draw.choice([each for each in module["cells"].values() if each["type"] in ("LUT4", "CCU2C")])
    pins, parameter = (("ABCD", "INIT") if cell["type"] == "LUT4" else (("A0", "B0", "C0", "D0"), "INIT0"))
    fixed = {at: int(cell["connections"][pin][0]) for at, pin in enumerate(pins) if cell["connections"][pin][0] in ("0", "1")}
    rows = [row for row in range(16) if all(row >> at & 1 == bit for at, bit in fixed.items())]
    cell["parameters"][parameter] = format(int(cell["parameters"][parameter], 2) ^ 1 << draw.choice(rows), "016b")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("n_netlists", type=int)
    parser.add_argument("--break", action="store_true", dest="broken")
    parser.add_argument("--netlist", type=pathlib.Path)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    found = collections.Counter()
    for _ in range(options.n_netlists):
        before = ecp5.top_of(options.netlist, json.loads(options.netlist.read_text())) if options.netlist else made(draw)
        after = copy.deepcopy(before)
        netlist = ecp5_pack.Netlist(after)

        def timing():
            levels = longest(after)[1]
            return levels.arcs, levels.ends

        n_advanced = ecp5_pack.advance(netlist, *timing())
        n_folded = ecp5_pack.fold(netlist)
        n_cleared = ecp5_pack.clear(netlist, *timing())
        n_gone = ecp5_pack.multiplex(netlist, *timing())
        netlist.forget_nets()
        if options.broken:
            break_cell(after, draw)
        begins, ends = ends_of(before)
        inputs = {net: draw.getrandbits(N_ROWS) for net in begins}
        wanted, seen = values(before, inputs), values(after, inputs)
        n_luts = [sum(cell["type"] == "LUT4" for cell in module["cells"].values()) for module in (before, after)]
        found["different"] += any(wanted[net] != seen[net] for net in ends) or next_state(before, wanted) != next_state(after, seen)
        found["longer"] += longest(after)[0] > longest(before)[0]
        found["miscounted"] += n_luts[0] - n_luts[1] != n_advanced + n_folded + n_cleared + n_gone
        found["advanced"] += n_advanced
        found["folded"] += n_folded
        found["cleared"] += n_cleared
        found["by PFUMX"] += n_gone
    print(", ".join(f"{found[what]} {what}" for what in ("different", "longer", "miscounted", "advanced", "folded", "cleared", "by PFUMX")))


if __name__ == "__main__":
    main()

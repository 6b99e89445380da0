#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The netlist that nextpnr places (scripts/fpga.py synth) as Verilog, for its simulation (docs/netlist.md).

netlist.py NETLIST.json OUTPUT.v --inputs WIRE --outputs WIRE [--before WIRE] [--break KIND:N] [--forget]

Cell by cell, with parameters and nets as they stand in the netlist; nothing is optimised, merged or left out. The wire of the
inputs is cut: what drives it in the netlist drives nothing, and a port in_i takes its place. The wire of the outputs, a register, is shown at a
port out_o; what goes into that register at a port before_o, where the netlist still has it: bits that synthesis has made part of something else,
such as the output of a memory, are x there.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sys

# Cells, and the module that stands for each: Yosys' own models (cells_sim_ecp5.v), and those of tb/netlist. The latter know the chip's global
# reset, which a cell has as a parameter and not as a pin.
YOSYS_MODELS = ("CCU2C", "PFUMX", "L6MUX21")
OUR_MODELS = {"LUT4": "qsm_lut4", "TRELLIS_FF": "qsm_trellis_ff", "TRELLIS_DPR16X4": "qsm_trellis_dpr16x4", "DP16KD": "qsm_dp16kd",
              "MULT18X18D": "qsm_mult18x18d"}
WITH_GLOBAL_RESET = ("TRELLIS_FF", "DP16KD", "MULT18X18D")
GLOBAL_RESETS = ("SGSR", "GSR")

# Inputs that a cell may leave open, and what the chip then has there.
OPEN_INPUTS = {"TRELLIS_FF": {"LSR": "0", "CE": "1"},
               "DP16KD": {**{f"{pin}{port}": "0" for port in "AB" for pin in ("CE", "OCE", "CLK", "WE", "RST")},
                          **{f"{bus}{port}{at}": "0" for port in "AB" for bus, width in (("DI", 18), ("AD", 14)) for at in range(width)}},
               "CCU2C": {"CIN": "0"}}
# Pins that our models have as vectors.
BUSES = {"MULT18X18D": {"A": 18, "B": 18, "P": 36}}
# Inputs that our models do not have; each must be this constant.
TIED_INPUTS = {"DP16KD": {f"CS{port}{at}": "0" for port in "AB" for at in range(3)},
               "MULT18X18D": {**{f"C{at}": "0" for at in range(18)}, "SOURCEA": "0", "SOURCEB": "0"},
               "TRELLIS_FF": {"M": "0"}}
# Parameters that our models do not have, and what they must be: None for what is of no matter.
OTHER_PARAMETERS = {"DP16KD": {"WID": None, "INIT_DATA": "STATIC"}, "TRELLIS_FF": {"LSRMODE": "LSR"}}


def fail(netlist, what):
    sys.exit(f"netlist.py: {netlist}: {what}")


class Netlist:
    """The top module of a netlist in Yosys' JSON."""

    def __init__(self, path, forgets=False):
        self.path, self.forgets = path, forgets
        modules = json.loads(path.read_text())["modules"]
        tops = [(name, module) for name, module in modules.items() if int(module.get("attributes", {}).get("top", "0"), 2)]
        if len(tops) != 1:
            fail(path, f"{len(tops)} top modules, must be one")
        self.name, self.top = tops[0]
        self.cells = self.top["cells"]
        self.drivers = {}
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "input":
                    continue
                for bit in bits:
                    if bit in self.drivers:
                        fail(path, f"net {bit} is driven by {name} and by {self.drivers[bit]}")
                    self.drivers[bit] = name
        for port in self.top["ports"].values():
            if port["direction"] == "input":
                self.drivers.update((bit, "a pin") for bit in port["bits"])

    def wire(self, name):
        if name not in self.top["netnames"]:
            fail(self.path, f"{self.name} has no wire {name}")
        return self.top["netnames"][name]["bits"]

    def global_reset(self):
        """The net of the chip's global reset, active low, or None."""
        cells = [cell for cell in self.cells.values() if cell["type"] in GLOBAL_RESETS]
        if len(cells) > 1:
            fail(self.path, "more than one cell of the global reset")
        return cells[0]["connections"]["GSR"][0] if cells else None


def literal(value):
    """A parameter of the netlist as Verilog: a text, or bits."""
    if isinstance(value, int):
        return str(value)
    if value and not value.strip("01xz"):
        return f"{len(value)}'b{value}"
    return '"' + value.rstrip(" ").replace("\\", "\\\\").replace('"', '\\"') + '"'


def net(bit):
    return f"n{bit}" if isinstance(bit, int) else f"1'b{bit}"


def is_zero(value):
    return not value.strip("0x")


def parameters_of(netlist, name, cell):
    """As Verilog; the many parameters for the contents of a block RAM are one: there are none, zeros, or others."""
    others = OTHER_PARAMETERS.get(cell["type"], {})
    texts, contents = [], set()
    for key, value in cell["parameters"].items():
        if key.startswith("INITVAL_") and cell["type"] == "DP16KD":
            contents.add("HasContents" if not is_zero(value) else "" if "x" in value or netlist.forgets else "HasZeros")
        elif key in others:
            if others[key] is not None and value.strip() != others[key]:
                fail(netlist.path, f"{name}: {key} {value} is not modelled")
        elif key == "INITVAL" and is_zero(value):  # x: nobody asks for contents
            continue
        else:
            texts.append(f".{key}({literal(value)})")
    which = "HasContents" if "HasContents" in contents else "HasZeros" if contents == {"HasZeros"} else None
    return texts + ([f".{which}(1'b1)"] if which else [])


def nets(bits):
    return net(bits[0]) if len(bits) == 1 else "{" + ", ".join(net(bit) for bit in reversed(bits)) + "}"


def broken(netlist, what):
    """The name of a cell, one of whose parameters is changed: lut:N flips bit N % 16 of the INIT of LUT4 N, ff:N the reset value of flip-flop N. Negative controls."""
    match = re.fullmatch(r"(lut|ff):(\d+)", what)
    if not match:
        sys.exit(f"netlist.py: --break {what}: must be lut:N or ff:N")
    kind, number = {"lut": "LUT4", "ff": "TRELLIS_FF"}[match[1]], int(match[2])
    names = [name for name, cell in netlist.cells.items() if cell["type"] == kind]
    if number >= len(names):
        fail(netlist.path, f"--break {what}: there are {len(names)} {kind}")
    cell = netlist.cells[names[number]]
    parameters = cell["parameters"]
    if kind == "LUT4":
        at = 15 - number % 16
        init = parameters["INIT"].rjust(16, "0")
        parameters["INIT"] = init[:at] + ("0" if init[at] == "1" else "1") + init[at + 1:]
    else:
        parameters["REGSET"] = "SET" if parameters.get("REGSET", "RESET") == "RESET" else "RESET"
    return f"{names[number]}, {parameters['INIT' if kind == 'LUT4' else 'REGSET']}"


def cell_text(netlist, number, name, cell, cut, global_reset):
    kind = cell["type"]
    parameters = parameters_of(netlist, name, cell)
    tied, left_open = TIED_INPUTS.get(kind, {}), dict(OPEN_INPUTS.get(kind, {}))
    pins = []
    connections = dict(cell["connections"])
    for bus, width in BUSES.get(kind, {}).items():
        each = [connections.pop(f"{bus}{at}", None) for at in range(width)]
        # An input that is open has no value; an output ends in a wire of its own.
        texts = [net(bits[0]) if bits else f"u{number}_{bus}[{at}]" if bus == "P" else net("x") for at, bits in enumerate(each)]
        pins.append(f".{bus}({{{', '.join(reversed(texts))}}})")
    for port, bits in connections.items():
        left_open.pop(port, None)
        if port in tied:
            if bits not in ([tied[port]], ["x"]):
                fail(netlist.path, f"{name}: the use of {port} is not modelled")
        elif bits and not (cell["port_directions"][port] == "output" and set(bits) <= cut):
            pins.append(f".{port}({nets(bits)})")
    pins += [f".{port}(1'b{value})" for port, value in left_open.items()]
    if kind in WITH_GLOBAL_RESET:
        has = cell["parameters"].get("GSR", "ENABLED") == "ENABLED" and global_reset is not None
        pins.append(f".gsr_ni({net(global_reset if has else '1')})")
    model = kind if kind in YOSYS_MODELS else OUR_MODELS[kind]
    head = f"{model} #({', '.join(parameters)})" if parameters else model
    ends = f"  wire [35:0] u{number}_P;\n" if "P" in BUSES.get(kind, {}) else ""
    return f"{ends}  {head} u{number} ({', '.join(pins)});  // {name}"


def check(netlist, inputs, outputs):
    """Every net that a cell reads and every output must be driven; of a cut wire every bit by a flip-flop."""
    unknown = sorted({cell["type"] for cell in netlist.cells.values()} - set(YOSYS_MODELS) - set(OUR_MODELS) - set(GLOBAL_RESETS))
    if unknown:
        fail(netlist.path, f"no model of {', '.join(unknown)}")
    for at, bit in enumerate(inputs):
        driver = netlist.drivers.get(bit)
        if isinstance(bit, int) and driver is not None and (driver == "a pin" or netlist.cells[driver]["type"] != "TRELLIS_FF"):
            fail(netlist.path, f"bit {at} of the inputs is driven by {driver}, which is no flip-flop")
    for at, bit in enumerate(outputs):
        if bit == "x" or bit == "z" or isinstance(bit, int) and bit not in netlist.drivers:
            fail(netlist.path, f"bit {at} of the outputs is driven by nothing")
    for name, cell in netlist.cells.items():
        clocks = [bit for port in ("CLKA", "CLKB") for bit in cell["connections"].get(port, []) if isinstance(bit, int)]
        if len(set(clocks)) > 1:
            fail(netlist.path, f"{name}: two clocks of a block RAM are not modelled")
        if cell["type"] == "DP16KD" and cell["parameters"]["RESETMODE"] == "ASYNC" and \
                any(cell["connections"].get(port, ["0"]) != ["0"] for port in ("RSTA", "RSTB")):
            fail(netlist.path, f"{name}: an asynchronous reset of a block RAM is not modelled")
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input" and any(isinstance(bit, int) and bit not in netlist.drivers for bit in bits):
                fail(netlist.path, f"{name}.{port} is driven by nothing")


def write(netlist, inputs, outputs, before, out):
    """Bits of a cut wire that no cell has, or that are constant, stay unused in the port."""
    global_reset = netlist.global_reset()
    cut = {bit for bit in inputs if isinstance(bit, int)}
    places = collections.defaultdict(list)
    for at, bit in enumerate(inputs):
        if isinstance(bit, int):
            places[bit].append(at)
    for bit, where in places.items():
        if len(where) > 1:
            fail(netlist.path, f"bits {where} of the inputs are one net")
    ports = [(name, port) for name, port in netlist.top["ports"].items()]
    print(f"// {netlist.name}, of {netlist.path.name}, by scripts/netlist.py: simulation only.", file=out)
    print("module qsm_netlist #(\n  parameter int InW = 0, OutW = 0  // what whoever makes it takes them for\n) (", file=out)
    for name, port in ports:
        print(f"  {port['direction']} wire [{len(port['bits']) - 1}:0] {name},", file=out)
    print(f"  input wire [{len(inputs) - 1}:0] in_i,\n  output wire [{len(outputs) - 1}:0] out_o, before_o\n);", file=out)
    print(f"  if (InW != {len(inputs)} || OutW != {len(outputs)}) $error(\"the netlist was made of another configuration\");", file=out)
    bits = set(netlist.drivers) | cut
    for cell in netlist.cells.values():
        for connected in cell["connections"].values():
            bits.update(bit for bit in connected if isinstance(bit, int))
    for bit in sorted(bit for bit in bits if isinstance(bit, int)):
        print(f"  wire n{bit};", file=out)
    for name, port in ports:
        for at, bit in enumerate(port["bits"]):
            place = f"{name}[{at}]"
            print(f"  assign {net(bit)} = {place};" if port["direction"] == "input" else f"  assign {place} = {net(bit)};", file=out)
    for bit, where in places.items():
        print(f"  assign {net(bit)} = in_i[{where[0]}];", file=out)
    for at, bit in enumerate(outputs):
        print(f"  assign out_o[{at}] = {net(bit)};", file=out)
    for at, bit in enumerate(before):
        print(f"  assign before_o[{at}] = {net(bit) if bit in netlist.drivers or not isinstance(bit, int) else net('x')};", file=out)
    for number, (name, cell) in enumerate(netlist.cells.items()):
        if cell["type"] not in GLOBAL_RESETS:
            print(cell_text(netlist, number, name, cell, cut, global_reset), file=out)
    print("endmodule", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("netlist", type=pathlib.Path, metavar="NETLIST.json")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT.v")
    parser.add_argument("--inputs", required=True, metavar="WIRE", help="of registers, which is cut")
    parser.add_argument("--outputs", required=True, metavar="WIRE", help="of registers")
    parser.add_argument("--before", metavar="WIRE", help="what these registers take")
    parser.add_argument("--break", dest="broken", metavar="KIND:N", help="lut:N or ff:N: one bit of a cell is wrong")
    parser.add_argument("--forget", action="store_true", help="block RAM begins with any contents, as in a reset without a new configuration of the chip")
    options = parser.parse_args()
    netlist = Netlist(options.netlist, options.forget)
    inputs, outputs = netlist.wire(options.inputs), netlist.wire(options.outputs)
    before = netlist.wire(options.before) if options.before else ["x"] * len(outputs)
    if len(before) != len(outputs):
        fail(netlist.path, f"{options.before} has {len(before)} bits, {options.outputs} {len(outputs)}")
    check(netlist, inputs, outputs)
    if options.broken:
        print(f"{options.output}: {options.broken} is {broken(netlist, options.broken)}")
    new = options.output.with_name(options.output.name + ".new")
    with open(new, "w", encoding="utf-8") as out:
        write(netlist, inputs, outputs, before, out)
    os.replace(new, options.output)
    counts = collections.Counter(cell["type"] for cell in netlist.cells.values())
    print(f"{options.output}: {len(netlist.cells)} cells: " + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes litedram_core.v from a board's recipe with LiteDRAM's own generator (litedram.gen), changed in these points:

  - Pins of both directions are three ports, as sdram_dq (in), sdram_dq_o and sdram_dq_oe_n, and not tristate pads within. (As it is, the generator
    declares the pads' pins as inputs.) The pads are in the board's top.
  - The ECP5's clocks of a DDR3 memory are ports: clk, clk_sys2x and clk_init; what stops and resets them is an output. PLL and dividers are in the board's top.
  - With "slowest_clk_freq" in the recipe the memory is refreshed often enough at that clock, too; the other times are cycles of "sys_clk_freq". "trfc_ns" is how long
    a refresh takes, where LiteDRAM knows it as cycles of the chip's highest clock only.

  - A DDR3 memory's RESET# and CKE are 0 after a reset: the controller is not in charge then.

  generate.py RECIPE.yml FOLDER     writes FOLDER/litedram_core.v; the same each time with PYTHONHASHSEED=0
"""
import pathlib
import re
import sys
import tempfile

import yaml
from litedram import gen, modules
from litedram.phy import ecp5ddrphy, gensdrphy
from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import SDRInput, SDROutput
from litex.gen import LiteXModule
from migen import ClockDomain, Constant, Module, Signal
from migen.fhdl.specials import SPECIAL_INPUT, SPECIAL_OUTPUT, Special
from migen.fhdl.structure import wrap

if len(sys.argv) != 3:
    sys.exit("usage: generate.py RECIPE.yml FOLDER")
RECIPE, TARGET = map(pathlib.Path, sys.argv[1:])
CONFIG = yaml.safe_load(RECIPE.read_text())
WIDTHS = {"dq": 8 * CONFIG["sdram_module_nb"], "dqs_p": CONFIG["sdram_module_nb"]}

plain_ios, plain_phy_init, plain_module_init = gen.get_dram_ios, gensdrphy.GENSDRPHY.__init__, modules.SDRAMModule.__init__
pads_of_phy = None


def ios_with_three_ports(config):
    (name, number, *signals), = plain_ios(config)
    signals = [signal for signal in signals if signal.name not in ("dqs_n", "clk_n")]  # a differential pad is named by its first pin
    for signal in [signal for signal in signals if signal.name in WIDTHS]:
        signals += [Subsignal(f"{signal.name}_o", Pins(WIDTHS[signal.name])), Subsignal(f"{signal.name}_oe_n", Pins(WIDTHS[signal.name]))]
    return [(name, number, *signals)]


def remember_pads(self, pads, *arguments, **named):
    global pads_of_phy
    pads_of_phy = {"pads": pads, "bit": 0}
    plain_phy_init(self, pads, *arguments, **named)


def sdr_three_ports(io, o, oe, i):
    """In place of SDRTristate: its registers, and what they show goes to the ports. A pad of the ECP5 takes a register for its
    direction only as it is, so that it is the one that says not to drive."""
    bit, pads = pads_of_phy["bit"], pads_of_phy["pads"]
    pads_of_phy["bit"] += 1
    return [SDROutput(i=o, o=pads.dq_o[bit]), SDROutput(i=~oe, o=pads.dq_oe_n[bit]), SDRInput(i=io, o=i)]


class ThreePorts(Special):
    """In place of a Tristate of a DDR3 PHY, whose registers are outside of it."""

    def __init__(self, pin, o, oe, i):
        super().__init__()
        self.parts = {"pin": pin, "o": o, "oe_n": ~oe, "i": i, "to_o": ThreePorts.port(pin, "_o"), "to_oe_n": ThreePorts.port(pin, "_oe_n")}
        for name, part in self.parts.items():
            setattr(self, name, wrap(part))

    pads = None

    @staticmethod
    def port(pin, suffix):
        """Of a bit of a bus of pins the same bit of the port beside it."""
        for name in WIDTHS:
            if pin.value is getattr(ThreePorts.pads, name):
                return getattr(ThreePorts.pads, name + suffix)[pin.start]
        raise ValueError(f"{pin}: no pin of {list(WIDTHS)}")

    def iter_expressions(self):
        for name in ("pin", "o", "oe_n"):
            yield self, name, SPECIAL_INPUT
        for name in ("i", "to_o", "to_oe_n"):
            yield self, name, SPECIAL_OUTPUT

    @staticmethod
    def lower(special):
        module = Module()
        module.comb += [special.to_o.eq(special.o), special.to_oe_n.eq(special.oe_n), special.i.eq(special.pin)]
        return module


class Ddr3Phy(ecp5ddrphy.ECP5DDRPHY):
    def __init__(self, pads, **named):
        ThreePorts.pads = pads
        super().__init__(pads, **named)


class ClocksFromOutside(LiteXModule):
    def __init__(self, platform, config):
        platform.add_extension([("clk_sys2x", 0, Pins(1)), ("clk_init", 0, Pins(1)), ("rst_init", 0, Pins(1)), ("phy_stop", 0, Pins(1)), ("phy_reset", 0, Pins(1))])
        self.rst = Signal()
        self.stop, self.reset = Signal(), Signal()
        self.cd_sys = ClockDomain()
        self.cd_sys2x = ClockDomain(reset_less=True)
        self.cd_init = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("clk")), self.cd_sys.rst.eq(platform.request("rst")), self.cd_sys2x.clk.eq(platform.request("clk_sys2x")),
                      self.cd_init.clk.eq(platform.request("clk_init")), self.cd_init.rst.eq(platform.request("rst_init")),
                      platform.request("phy_stop").eq(self.stop), platform.request("phy_reset").eq(self.reset)]


def module_init_with_refresh(self, clk_freq, *arguments, **named):
    plain_module_init(self, clk_freq, *arguments, **named)
    if "slowest_clk_freq" in CONFIG:
        self.timing_settings.tREFI = int(self.timing_settings.tREFI * float(CONFIG["slowest_clk_freq"]) / clk_freq)
    if "trfc_ns" in CONFIG:
        self.timing_settings.tRFC = self.ns_to_cycles(CONFIG["trfc_ns"])


class LiteDRAMCore(gen.LiteDRAMCore):  # its name is that of signals
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if CONFIG["memtype"] == "DDR3":
            self.sdram.dfii._control.storage.reset = Constant(0)


def main():
    target = TARGET.resolve()
    gen.get_dram_ios, modules.SDRAMModule.__init__ = ios_with_three_ports, module_init_with_refresh
    gensdrphy.GENSDRPHY.__init__, gensdrphy.SDRTristate = remember_pads, sdr_three_ports
    ecp5ddrphy.Tristate, gen.LiteDRAMECP5DDRPHYCRG = ThreePorts, ClocksFromOutside
    gen.litedram_phys.ECP5DDRPHY, gen.LiteDRAMCore = Ddr3Phy, LiteDRAMCore
    with tempfile.TemporaryDirectory() as work:
        sys.argv = ["litedram_gen", str(RECIPE.resolve()), "--no-compile", "--output-dir", work]
        gen.main()
        text = (pathlib.Path(work) / "gateware/litedram_core.v").read_text()
    # A date would make each run another file.
    text = re.sub(r"(// Date +:).*", r"\1 -", text)
    text = re.sub(r"(LiteX sha1 *:).*", r"\1 -", text)
    text = re.sub(r"// *Auto-Generated by LiteX on.*", "// Auto-Generated by LiteX", text)
    text = re.sub(r"//-+\n// Hierarchy\n//-+\n\n/\*.*?\*/\n\n", "", text, flags=re.DOTALL)  # in another order each time
    text = re.sub(r"`timescale.*\n\n", "", text)  # our modules have none
    (target / "litedram_core.v").write_text(text)


if __name__ == "__main__":
    main()

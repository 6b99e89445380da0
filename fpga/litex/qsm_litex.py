# SPDX-License-Identifier: Apache-2.0
"""The GPU as a peripheral of a LiteX SoC (docs/soc.md):

    from qsm_litex import QsmGpu
    soc.qsm = QsmGpu(soc.platform, "build/cfg/tiny+l2_kib-1/files.f", memory=soc.mem_map["main_ram"])
    soc.qsm.attach(soc)

The control port is a slave of the SoC's bus, each memory channel a master, the interrupt and what the bus does not tell are CSRs.
`make package CONFIG=NAME` makes the list of files.
"""
import pathlib
import re

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr import CSRField, CSRStatus
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import Cat, ClockSignal, If, Instance, ResetSignal, Signal

CONTROL_BYTES = 1 << 20    # of the control port
MEMORY_BASE = 0x80000000   # where the GPU's device memory begins
RESP_OKAY = 0b00


def read_files(path):
    """Of a list for Verilator: (sources, folders of what is included), as the build names them: from the root of the tree."""
    path = pathlib.Path(path).resolve()
    root = next((folder for folder in path.parents if (folder / "rtl" / "qsm_gpu_axi.sv").exists()), None)
    if not path.is_file() or root is None:
        raise FileNotFoundError(f"{path}: no list of files of a qsm tree: make package CONFIG=NAME makes build/cfg/NAME/files.f")
    words = path.read_text().split()
    prefix = "+incdir+"
    return ([root / word for word in words if not word.startswith("+")],
            [root / word[len(prefix):] for word in words if word.startswith(prefix)])


def read_parameters(sources):
    """Of the configuration's package: {"NumChannels": 1, ...}"""
    package = next((path for path in sources if path.name == "qsm_cfg_pkg.sv"), None)
    if package is None:
        raise ValueError("the list of files has no qsm_cfg_pkg.sv")
    found = re.findall(r"localparam int unsigned (\w+) = (\d+);", package.read_text())
    return {name: int(value) for name, value in found}


class QsmGpu(LiteXModule):
    """axil: the control port (AXI4-Lite); axis: an AXI4 manager for each memory channel; ev: the interrupt, a level.

    memory: address of the SoC at which the GPU's device memory begins; the GPU's own addresses begin at 0x8000_0000.
    data_width: of the AXI4 buses; that of the SoC's bus needs no converter. A line of the GPU is a burst of several beats.
    id_width: 2**id_width accesses of a channel under way; a bus that does one after the other gains nothing from many.
    """
    def __init__(self, platform, files, memory, data_width=32, id_width=4):
        sources, folders = read_files(files)
        parameters = read_parameters(sources)
        if parameters["L2Kib"] == 0:
            raise ValueError(f"{files}: a configuration without an L2, which qsm_gpu_axi refuses (docs/axi.md, R-AX-2)")
        line_bytes = 4 * parameters["WarpSize"]
        if data_width > 8 * line_bytes:
            raise ValueError(f"data_width {data_width}: a line of this configuration has {8 * line_bytes} bits")
        for folder in folders:
            platform.add_verilog_include_path(str(folder))
        for source in sources:
            platform.add_source(str(source))

        self.n_channels = parameters["NumChannels"]
        self.axil = axi.AXILiteInterface(data_width=32, address_width=32)
        self.axis = [axi.AXIInterface(data_width=data_width, address_width=32, id_width=id_width, bursting=True) for _ in range(self.n_channels)]
        self.irq = Signal()
        self.ev = EventManager()
        self.ev.ended = EventSourceLevel(description="A launch has ended, or a command channel asks (registers IRQ, FRONT_IRQ0..2).")
        self.ev.finalize()
        self.status = CSRStatus(name="status", fields=[
            CSRField("refused", size=1, description="The GPU has refused the last access of its control port: no CPU of LiteX' learns that from its bus for sure."),
            CSRField("error", size=1, description="A memory access of the GPU has failed since the reset (docs/axi.md, R-AX-9)."),
            CSRField("write", size=1, description="It was a write."),
        ])
        self.error_address = CSRStatus(32, name="error_address", description="The GPU's address of that access.")

        # # #

        self.comb += self.ev.ended.trigger.eq(self.irq)
        self._connect_gpu(memory, data_width, id_width)

    def attach(self, soc, name="qsm", origin=None):
        """Into the SoC's bus: the control port at `origin` (None: LiteX finds a place where no CPU caches), the channels, the interrupt."""
        soc.bus.add_slave(name=name, slave=self.axil, region=SoCRegion(origin=origin, size=CONTROL_BYTES, cached=False))
        for c, channel in enumerate(self.axis):
            soc.bus.add_master(name=f"{name}_channel{c}", master=channel)
        if soc.irq.enabled:
            soc.irq.add(name, use_loc_if_exists=True)

    # ---- how it is wired ----

    def _connect_gpu(self, memory, data_width, id_width):
        ports = {"i_clk_i": ClockSignal("sys"), "i_rst_ni": ~ResetSignal("sys"), "o_irq_o": self.irq, "p_AxiDataW": data_width, "p_AxiIdW": id_width}
        ports.update(self._control_ports())
        request = ("id", "len", "size", "burst", "lock", "cache", "prot", "qos")
        for name, fields in (("aw", request), ("w", ("data", "strb", "last")), ("ar", request)):
            ports.update(self._stream(name, fields, from_gpu=True))
        for name, fields in (("b", ("id", "resp")), ("r", ("id", "data", "resp", "last"))):
            ports.update(self._stream(name, fields, from_gpu=False))
        for prefix in ("aw", "ar"):
            addresses = [Signal(32) for _ in self.axis]
            self.comb += [getattr(channel, prefix).addr.eq(address + (memory - MEMORY_BASE) % 2**32) for channel, address in zip(self.axis, addresses)]
            ports[f"o_{prefix}addr_o"] = Cat(*addresses)
        ports.update(self._errors())
        self.specials += Instance("qsm_gpu_axi", **ports)

    def _control_ports(self):
        """The answer to the bus is always OKAY. A refused write changes nothing, and the program may ask again (a register that is closed for
        a moment); a CPU that takes bus errors for faults could not."""
        axil, resp = self.axil, {"b": Signal(2), "r": Signal(2)}
        self.comb += [axil.b.resp.eq(RESP_OKAY), axil.r.resp.eq(RESP_OKAY)]
        self.sync += [
            If(axil.b.valid & axil.b.ready, self.status.fields.refused.eq(resp["b"] != RESP_OKAY)),
            If(axil.r.valid & axil.r.ready, self.status.fields.refused.eq(resp["r"] != RESP_OKAY)),
        ]
        ports = {"i_s_axil_awaddr_i": axil.aw.addr[:20], "i_s_axil_araddr_i": axil.ar.addr[:20],
                 "i_s_axil_wdata_i": axil.w.data, "i_s_axil_wstrb_i": axil.w.strb,
                 "o_s_axil_bresp_o": resp["b"], "o_s_axil_rresp_o": resp["r"], "o_s_axil_rdata_o": axil.r.data}
        for name in ("aw", "w", "ar"):
            ports[f"i_s_axil_{name}valid_i"], ports[f"o_s_axil_{name}ready_o"] = getattr(axil, name).valid, getattr(axil, name).ready
        for name in ("b", "r"):
            ports[f"o_s_axil_{name}valid_o"], ports[f"i_s_axil_{name}ready_i"] = getattr(axil, name).valid, getattr(axil, name).ready
        return ports

    def _stream(self, name, fields, from_gpu):
        """One of AXI4's channels, of all memory channels at once: the GPU's ports are arrays over these."""
        streams = [getattr(channel, name) for channel in self.axis]
        out, back = ("o", "i") if from_gpu else ("i", "o")
        ports = {f"{out}_{name}valid_{out}": Cat(*(each.valid for each in streams)), f"{back}_{name}ready_{back}": Cat(*(each.ready for each in streams))}
        for field in fields:
            ports[f"{out}_{name}{field}_{out}"] = Cat(*(getattr(each, field) for each in streams))
        return ports

    def _errors(self):
        n = self.n_channels
        valid, write, addresses = Signal(n), Signal(n), [Signal(32) for _ in range(n)]
        for c in reversed(range(n)):  # the lowest channel's is shown
            self.comb += If(valid[c], self.status.fields.write.eq(write[c]), self.error_address.status.eq(addresses[c]))
        self.comb += self.status.fields.error.eq(valid != 0)
        return {"o_error_valid_o": valid, "o_error_write_o": write, "o_error_resp_o": Signal(2 * n), "o_error_addr_o": Cat(*addresses)}

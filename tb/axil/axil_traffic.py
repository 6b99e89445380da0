# SPDX-License-Identifier: Apache-2.0
"""qsm_axil driven by cocotbext-axi's AXI4-Lite master (run.py): reads and writes at the same time, with pauses in all channels."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Combine, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

END = 0x400  # registers are words below; the odd ones are read-only and read as 7
OKAY, SLVERR = 0, 2


async def registers(dut, words):
    """Does an access in the cycle after the one in which it is chosen, and answers it in the next, for one cycle."""
    err, data = 0, 0
    while True:
        await RisingEdge(dut.clk_i)
        dut.rsp_err_i.value = err
        dut.rsp_rdata_i.value = data
        err, data = 0, 0
        if int(dut.req_valid_o.value):
            addr, write = int(dut.req_addr_o.value), int(dut.req_we_o.value)
            err = int(addr % 4 != 0 or addr >= END or bool(write and addr & 4))
            if write and not err:
                words[addr] = int(dut.req_wdata_o.value)
            elif not err:
                data = 7 if addr & 4 else words.get(addr, 0)


async def writes(master, rng, expected):
    for _ in range(400):
        addr, value = 4 * rng.randrange(0x110), rng.getrandbits(32)
        answer = await master.write(addr, value.to_bytes(4, "little"))
        accepted = addr < END and not addr & 4
        assert int(answer.resp) == (OKAY if accepted else SLVERR), hex(addr)
        if accepted:
            expected[addr] = value


async def reads(master, rng):
    for _ in range(400):
        addr = 4 * rng.randrange(0x110)
        answer = await master.read(addr, 4)
        assert int(answer.resp) == (OKAY if addr < END else SLVERR), hex(addr)
        assert not addr & 4 or int.from_bytes(answer.data, "little") == (7 if addr < END else 0), hex(addr)


@cocotb.test()
async def traffic(dut):
    """R-CP-8 to R-CP-11, R-CP-13 (qsm_axil_checker)"""
    cocotb.start_soon(Clock(dut.clk_i, 10, units="ns").start())
    for pin in (dut.rst_ni, dut.rsp_err_i, dut.rsp_rdata_i):
        pin.value = 0
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s"), dut.clk_i, dut.rst_ni, reset_active_level=False)
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    cocotb.start_soon(registers(dut, {}))
    rng, expected = random.Random(1), {}
    channels = (master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel,
                master.read_if.ar_channel, master.read_if.r_channel)
    for most in (0.0, 0.3, 0.8):
        for channel in channels:
            pause = most * rng.random()
            channel.set_pause_generator((rng.random() < pause for _ in itertools.count()))
        await Combine(cocotb.start_soon(writes(master, rng, expected)), cocotb.start_soon(reads(master, rng)))
        for addr, value in expected.items():
            answer = await master.read(addr, 4)
            assert int.from_bytes(answer.data, "little") == value, hex(addr)
        assert int((await master.write(0x10, b"\x55")).resp) == SLVERR  # part of a word

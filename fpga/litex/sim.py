#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An SoC with the GPU in it, in LiteX' simulator, and a program that runs on its CPU (docs/soc.md). From the root of the tree:

  sim.py soc FOLDER FILES.f [--memory BYTES]       builds FOLDER/gateware/obj_dir/Vsim and the headers for the program
  sim.py program FOLDER ROM.elf SOURCE...          compiles a program for its CPU; include folders by -I, definitions by -D
  sim.py run FOLDER ROM.elf [--limit CYCLES]       runs it; what its console says is printed; fails unless the program ends with code 0

`make litex-sim` does all three. The program ends the simulation by the CSR soc_end_code; one that does not is ended after that many cycles.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

CLANG, LLD, OBJCOPY = (os.environ.get(name, default) for name, default in (("CLANG", "clang-19"), ("LLD", "ld.lld-19"), ("OBJCOPY", "llvm-objcopy-19")))
SERIAL_PINS = ("source_valid", "source_ready", "source_data", "sink_valid", "sink_ready", "sink_data")
ROM_BYTES, SRAM_BYTES = 64 * 1024, 16 * 1024


def fail(text):
    sys.exit(f"litex: {text}")


# ---- the SoC ----

def make_soc(files, memory_bytes):
    from litex.build.generic_platform import Pins, Subsignal
    from litex.build.sim import SimPlatform
    from litex.gen import LiteXModule
    from litex.soc.integration.soc_core import SoCCore
    from litex.soc.interconnect.csr import CSRStatus, CSRStorage
    from migen import ClockSignal, Instance, ResetSignal
    from migen.genlib.io import CRG
    from qsm_litex import QsmGpu

    class End(LiteXModule):
        """Ends the simulation, when the program writes its code, or after a number of cycles."""
        def __init__(self, channel):
            self.code = CSRStorage(32, description="Writing ends the simulation; 0: all is well.")
            self.cycle = CSRStatus(32, description="Cycles since the reset.")
            self.specials += Instance("qsm_sim_end", i_clk_i=ClockSignal("sys"), i_rst_ni=~ResetSignal("sys"),
                                      i_end_i=self.code.re, i_code_i=self.code.storage, o_cycle_o=self.cycle.status,
                                      i_read_i=channel.ar.valid & channel.ar.ready, i_read_end_i=channel.r.valid & channel.r.ready & channel.r.last,
                                      i_write_i=channel.aw.valid & channel.aw.ready, i_write_end_i=channel.b.valid & channel.b.ready)

    clock_hz = int(1e6)
    pins = [("sys_clk", 0, Pins(1)), ("serial", 0, *(Subsignal(name, Pins(8 if name.endswith("data") else 1)) for name in SERIAL_PINS))]
    platform = SimPlatform("SIM", pins)
    soc = SoCCore(platform, clk_freq=clock_hz, ident="qsm", cpu_type="vexriscv", cpu_variant="standard", uart_name="sim", with_timer=False,
                  integrated_rom_size=ROM_BYTES, integrated_sram_size=SRAM_BYTES, integrated_main_ram_size=memory_bytes)
    soc.crg = CRG(platform.request("sys_clk"))
    soc.comb += platform.trace.eq(0)
    soc.qsm = QsmGpu(platform, files, memory=soc.mem_map["main_ram"])
    soc.qsm.attach(soc)
    platform.add_source(str(pathlib.Path(__file__).resolve().parent / "qsm_sim_end.sv"))
    soc.soc_end = End(soc.qsm.axis[0])
    return soc


def write_headers(soc, folder):
    """What the program includes: as LiteX' builder does it, without its BIOS and C library."""
    from litex.soc.integration import export
    generated = folder / "include" / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    files = {
        "soc.h": export.get_soc_header(soc.constants),
        "mem.h": export.get_mem_header(soc.mem_regions),
        "csr.h": export.get_csr_header(regions=soc.csr_regions, constants=soc.constants, csr_base=soc.mem_regions["csr"].origin),
        "output_format.ld": export.get_linker_output_format(soc.cpu),
        "regions.ld": export.get_linker_regions(soc.mem_regions),
        "cpu": f"{soc.cpu.name}\n{soc.cpu.gcc_flags}\n",
    }
    for name, text in files.items():
        (generated / name).write_text(text)


def build_soc(options):
    from litex.build.sim.config import SimConfig
    soc = make_soc(options.files, options.memory)
    soc.finalize()
    write_headers(soc, options.folder)
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=soc.clk_freq)
    config.add_module("serial2console", "serial")
    # What LiteX has no setting for: the GPU's assertions, and no waveforms, whose code takes most of the compiler's time.
    settings = options.folder / "settings.vlt"
    settings.write_text('`verilator_config\ntracing_off -file "*"\n')
    soc.platform.sources[:0] = [(str(settings.resolve()), "verilog", "work"), ("--assert -Wno-lint -Wno-style", "verilog", "work")]
    soc.build(build_dir=str(options.folder / "gateware"), sim_config=config, interactive=False, run=False, jobs=options.jobs, opt_level="O0")
    compile_soc(options.folder / "gateware", options.folder / "build.log")


def compile_soc(gateware, log):
    """Not by LiteX, which runs it at once and forgets how it ended."""
    settings = {"CC": "clang-19", "CXX": "clang++-19", "LINK": "clang++-19", "OBJCACHE": "ccache" if shutil.which("ccache") else "", "OPT_FAST": "-O2", "OPT_GLOBAL": "-O2"}
    flags = " ".join(f"{name}={value}" for name, value in settings.items())
    with open(log, "w") as out:
        done = subprocess.run(["bash", "build_sim.sh"], cwd=gateware, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "MAKEFLAGS": flags, "MAKELEVEL": "0"})
    if done.returncode:
        fail(f"the SoC was not built; the end of {log}:\n{''.join(open(log).readlines()[-20:])}")


# ---- the program ----

def build_program(options):
    import litex
    include, soc = options.folder / "include", pathlib.Path(litex.__file__).parent / "soc"
    name, flags = (include / "generated" / "cpu").read_text().splitlines()
    cpu = soc / "cores" / "cpu" / name
    # LiteX names ISA versions that clang has no need of; CSRs are an extension of their own to it.
    march = re.search(r"-march=(rv32i)(?:2p0)?_?(\w*)", flags)
    flags = flags.replace(march[0], f"-march={march[1]}{march[2]}_zicsr").split()
    command = [CLANG, "--target=riscv32-unknown-elf", *flags, "-O2", "-g", "-std=gnu11", "-ffreestanding", "-nostdlib", "-mno-relax", "-Wall", "-Wextra", "-Werror",
               "-I", include, "-I", soc / "software" / "include", "-I", cpu, "-I", cpu.parent, *(f"-I{folder}" for folder in options.include),
               *(f"-D{macro}" for macro in options.define), f"--ld-path={shutil.which(LLD)}",
               f"-Wl,-T,{soc / 'software' / 'bios' / 'linker.ld'}", f"-Wl,-L,{include}", cpu / "crt0.S", *options.sources, "-o", options.elf]
    done = subprocess.run([str(word) for word in command], text=True, stderr=subprocess.PIPE)
    if done.returncode:
        fail(f"the program was not compiled:\n{done.stderr}")


def write_rom(folder, elf):
    """As the memory of the ROM reads it at the start: a word a line."""
    image = folder / "rom.bin"
    done = subprocess.run([OBJCOPY, "-O", "binary", str(elf), str(image)], text=True, stderr=subprocess.PIPE)
    if done.returncode:
        fail(f"{elf} is no program: {done.stderr.strip()}")
    content = image.read_bytes()
    if len(content) > ROM_BYTES:
        fail(f"{elf}: {len(content)} bytes, the ROM has {ROM_BYTES}")
    content += bytes(-len(content) % 4)
    words = [int.from_bytes(content[at:at + 4], "little") for at in range(0, len(content), 4)]
    (folder / "gateware" / "sim_rom.init").write_text("".join(f"{word:08x}\n" for word in words))


# ---- a run ----

def run(options):
    gateware = options.folder / "gateware"
    write_rom(options.folder, options.elf)
    # Its standard input stays open: the simulator listens to it.
    process = subprocess.Popen(["obj_dir/Vsim", f"+limit={options.limit}"], cwd=gateware, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    code = None
    for line in process.stdout:
        found = re.match(r"soc: code +(\d+) in cycle", line)
        code = int(found[1]) if found else code
        if not line.startswith(("[", "- ", "Found ", "<DUMP")):
            print(line, end="", flush=True)
    process.stdin.close()
    if process.wait() != 0:
        fail(f"the simulation failed: exit code {process.returncode}")
    if code is None:
        fail("the program has not ended")
    if code:
        fail(f"the program says that something is wrong (code {code})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    soc = commands.add_parser("soc")
    soc.add_argument("folder", type=pathlib.Path)
    soc.add_argument("files", type=pathlib.Path)
    soc.add_argument("--memory", type=lambda text: int(text, 0), default=1 << 20)
    soc.add_argument("--jobs", type=int, default=os.cpu_count())
    program = commands.add_parser("program")
    program.add_argument("folder", type=pathlib.Path)
    program.add_argument("elf", type=pathlib.Path)
    program.add_argument("sources", type=pathlib.Path, nargs="+")
    program.add_argument("-I", dest="include", action="append", default=[])
    program.add_argument("-D", dest="define", action="append", default=[])
    runs = commands.add_parser("run")
    runs.add_argument("folder", type=pathlib.Path)
    runs.add_argument("elf", type=pathlib.Path)
    runs.add_argument("--limit", type=lambda text: int(text, 0), default=20_000_000)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    for path in {"soc": [], "program": [options.folder / "include" / "generated" / "cpu"], "run": [options.folder / "gateware" / "obj_dir" / "Vsim"]}[options.command]:
        if not path.exists():
            fail(f"no {path}: sim.py soc builds it")
    try:
        {"soc": build_soc, "program": build_program, "run": run}[options.command](options)
    except ModuleNotFoundError as error:
        fail(f"no Python package {error.name}: make litex-sim installs what is needed")
    except (FileNotFoundError, ValueError) as error:
        fail(error)


if __name__ == "__main__":
    main()

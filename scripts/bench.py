#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures simulation speed per CPU-second, and keeps the tables: bench.py WORK_FOLDER OUTPUT.md

CPU time is that of the measurement, from the first launch on.
"""

import datetime
import itertools
import json
import math
import os
import pathlib
import platform
import subprocess
import sys

# Configuration: size of programs that fill it, cycles of a measurement on the model.
MODEL = {"tiny": ("S", 2_000_000), "fpga": ("M", 2_000_000), "odd": ("S", 2_000_000), "demo": ("M", 2_000_000), "wang2017": ("XL", 200_000),
         "wang2017_56": ("XL", 100_000), "smqos": ("XL", 200_000), "rdna2": ("XL", 150_000), "titanv": ("L", 60_000)}
LOADS = {"compute": ("pc",), "memory": ("spmv",), "compute pair": ("pc", "matmul"), "memory pair": ("spmv", "lbm")}
WITHOUT_FPU = {"spmv": "vadd", "lbm": "conv2d"}  # instead, on small machines
# With the size of their programs there, and the cycles of a run.
RTL = {"tiny": ("S", 200_000), "demo": ("M", 60_000), "wang2017": ("L", 10_000)}
PARBOIL = ("cutcp", "histo", "lbm", "mri_gridding", "mri_q", "sad", "sgemm", "spmv", "jacobi", "tpacf")
# The machine that Vortex's figures are of.
SMALL = "fpga+warps_per_sm-4+l2_kib-16"
BEST_OF = 3


def scenario(config, programs, size, cycles, goal):
    kernels = "".join(f"  - program: {name}\n" + (f"    goal: {goal}\n" if goal and i == 0 else "") for i, name in enumerate(programs))
    return f"config: {config}\npolicy: gto\nscheme: {'rollover' if goal else 'none'}\ncycles: {cycles}\nsize: {size}\nkernels:\n{kernels}"


def run(work, name, text, backend="model"):
    """The result of a scenario, and the peak of its memory in MiB."""
    folder = work / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    process = subprocess.Popen(["build/fast/qsm", "run", str(path), "--backend", backend, "--out", str(folder), "--overwrite", "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"bench.py: {path} failed")
    return json.loads((folder / "result.json").read_text(encoding="utf-8")), usage.ru_maxrss / 1024


def pair_goal(programs):
    return "50%" if len(programs) > 1 else None


def parameter(config, key):
    lines = pathlib.Path(f"configs/{config}.yaml").read_text(encoding="utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key + ":")))


def one_block_fills_it(config, programs):
    return config in ("tiny", "odd") and len(programs) > 1  # a second kernel would never run


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2f}"


def model_rows(work):
    """Per configuration and load: thousand cycles and million warp instructions per CPU-second, peak memory."""
    yield "| configuration | load | programs | thousand cycles | million warp instructions | peak memory, MiB |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for (config, (size, cycles)), (load, programs) in itertools.product(MODEL.items(), LOADS.items()):
        if one_block_fills_it(config, programs):
            continue
        if parameter(config, "fpu") == 0:
            programs = tuple(WITHOUT_FPU.get(name, name) for name in programs)
        text = scenario(config, programs, size, cycles, pair_goal(programs))
        result, peak = max((run(work, f"{config}-{load}", text) for _ in range(BEST_OF)), key=lambda got: got[0]["cycles_per_cpu_s"])
        rate = result["cycles_per_cpu_s"]
        warps = sum(kernel["ipc"] for kernel in result["kernels"]) / parameter(config, "warp_size")
        yield f"| {config} | {load} | {', '.join(programs)} ({size}) | {number(rate / 1e3)} | {number(rate * warps / 1e6)} | {peak:.0f} |"


def pair_rows(work):
    """FGQ's programs in unordered pairs on its machine: least, geometric mean, most."""
    rates = {}
    for pair in itertools.combinations(PARBOIL, 2):
        rates[pair] = run(work, "pair-" + "-".join(pair), scenario("wang2017", pair, "L", 200_000, "70%"))[0]["cycles_per_cpu_s"]
    least, most = min(rates, key=rates.get), max(rates, key=rates.get)
    mean = math.exp(sum(map(math.log, rates.values())) / len(rates))
    yield "| of 45 pairs | thousand cycles |"
    yield "| --- | ---: |"
    yield f"| least: {' with '.join(least)} | {number(rates[least] / 1e3)} |"
    yield f"| geometric mean | {number(mean / 1e3)} |"
    yield f"| most: {' with '.join(most)} | {number(rates[most] / 1e3)} |"
    yield ""
    yield (f"At that mean FGQ's whole evaluation, 6,900 runs of 2 million cycles, takes {6900 * 2e6 / mean / 2 / 3600:.1f} hours on two cores"
           " (what each program reaches alone is measured once and is not in it).")


def backend_rows(work):
    backends = ("model", "rtl", "lockstep")
    yield "| configuration | load | " + " | ".join(backends) + " |"
    yield "| --- | --- |" + " ---: |" * len(backends)
    loads = [("compute", ("pc",)), ("memory", ("vadd",)), ("both, with a goal", ("pc", "vadd"))]
    for (config, (size, cycles)), (load, programs) in itertools.product(RTL.items(), loads):
        minutes_each = config == "wang2017" and load != "compute"
        if one_block_fills_it(config, programs) or minutes_each:
            continue
        text = scenario(config, programs, size, cycles, pair_goal(programs))
        rates = [run(work, f"{config}-{backend}-{load.split(',')[0]}", text, backend)[0]["cycles_per_cpu_s"] / 1e3 for backend in backends]
        yield f"| {config} | {load} | " + " | ".join(map(number, rates)) + " |"
    rates = [run(work, f"small-{backend}", scenario(SMALL, ("matmul",), "M", 60_000 if backend != "model" else 2_000_000, None), backend)
             [0]["cycles_per_cpu_s"] / 1e3 for backend in backends]
    yield f"| {SMALL} | compute | " + " | ".join(map(number, rates)) + " |"


PEERS = """| what | thousand cycles per second |
| --- | ---: |
| Accel-Sim (trace-driven), 16 SMs: compute, memory, irregular kernel; two kernels | 2.5 to 2.7, 2.4 to 2.8, 1.8; 2.3 |
| GPGPU-Sim core (execution-driven), 16 SMs: compute, memory kernel; two kernels | 1.2 to 1.4, 2.2 to 2.6; 1.6 |
| Accel-Sim, 80 SMs | 0.38 to 0.47 |
| Vortex, Verilated RTL, 4 warps x 4 threads: one core, four with L2 | 212 to 217, 18.8 to 19.6 |
| Vortex, C++ model (within 22 % of its RTL's cycles), the same: one core, four, sixteen | 818 to 827, 189 to 192, 43 to 44 |"""


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")[0]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def shown(rows):
    """The rows, as they come, on the terminal too."""
    for row in rows:
        print(row, flush=True)
        yield row


def main():
    work, output = map(pathlib.Path, sys.argv[1:])
    load = os.getloadavg()[0]
    lines = ["# Simulation speed", "",
             f"Generated by `make bench`; do not edit. Commit {first_line('git', 'describe', '--always', '--dirty', '--exclude=*') or 'unknown'},"
             f" {datetime.date.today()}, {processor()}, {first_line('clang-19', '--version')}, {first_line('verilator', '--version')};"
             f" load of the machine when it began: {load:.1f}.", "",
             "Everything is per CPU-second, one thread: cycles are those of the whole GPU, with every instruction of every lane executed and outputs checked, by the build of `make fast`.",
             "The first kernel of a pair has a goal of 50 % of what it reaches alone, under Rollover over GTO.", "",
             "## Model", "",
             f"The best of {BEST_OF} runs. Warp instructions are thread instructions by warp size: exact for programs that do not diverge, as these.", "",
             *shown(model_rows(work)), "",
             "## Pairs of FGQ's programs", "", "On `wang2017`, size L, 200,000 cycles, goal 70 %, one run each.", "",
             *shown(pair_rows(work)), "",
             "## Model, RTL, lockstep", "",
             "Thousand cycles. Assertions are on in the RTL. `lockstep` runs both and compares.", "",
             *shown(backend_rows(work)), "",
             "## Others", "", "Measured on two cores of a like machine, one simulation per core, with their own programs.", "", PEERS]
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Written to {output}")


if __name__ == "__main__":
    main()

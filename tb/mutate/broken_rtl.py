# SPDX-License-Identifier: Apache-2.0
"""RTL with many faults in one build, of which one is awake in a run.

A faulty place is a choice by `qsm_fault_pkg::on(NUMBER)`; the environment variable QSM_FAULT names the fault that is awake in this
process (0: none). mk/faults.mk builds what `write` writes.
"""
import math
import os
import pathlib
import re
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 300  # of processor time, of one run

PACKAGE = """// Which fault is awake; see tb/mutate/README.md.
package qsm_fault_pkg;
  import "DPI-C" function int qsm_fault_awake();
  int awake = qsm_fault_awake();
  function automatic logic on(input int fault);
    return awake == fault;
  endfunction
endpackage
"""

SELECTOR = """#include <cstdlib>
extern "C" int qsm_fault_awake() {
  const char *fault = std::getenv("QSM_FAULT");
  return fault ? std::atoi(fault) : 0;
}
"""


# ---- Preparation ----

def write_if_new(path, text):
    """Whether the file is a new one or has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text() == text:
        return False
    path.write_text(text)
    return True


def write(out, broken, benches):
    """Writes the RTL, {name: text} of broken files in place of the right ones, and the lists of unit benches; OUT/prepared is touched if
    one of them is new, so that nothing is built again without need."""
    files = {str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / "rtl").rglob("*.sv"))} | broken
    for bench in benches:
        files[f"tb/{bench}.f"] = re.sub(r"(?m)^rtl(?=/.*\.sv$)", f"{out}/rtl", (ROOT / f"build/lists/unit/{bench}.f").read_text())
    files["qsm_fault_pkg.sv"], files["qsm_fault.cpp"] = PACKAGE, SELECTOR
    changed = [name for name, text in files.items() if write_if_new(out / name, text)]
    for folder in ("root/build/rtl", "run"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    if changed or not (out / "prepared").exists():
        (out / "prepared").touch()


# ---- Running ----

def run(command, environment, limit_s, enough=None):
    """(exit code or None if it hangs, everything it said); ends the run as soon as it says something like `enough`. Processor time is limited,
    so that other load does not look like a hang."""
    said = []
    limited = ["prlimit", f"--cpu={math.ceil(limit_s)}:{math.ceil(limit_s) + 5}", *command]
    with subprocess.Popen(limited, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            said.append(line)
            if enough and re.search(enough, line):
                process.kill()
    return None if process.returncode == -signal.SIGXCPU else process.returncode, "".join(said)


def fuzz(out, number, config, cycles, seed, results=None):
    """What the lockstep saw, '' for nothing."""
    command = ["build/qsm", "fuzz", "--config", config, "--cycles", str(cycles), "--seed", str(seed), "--out", results or out / "run", "--quiet"]
    code, said = run(command, {"QSM_FAULT": str(number), "QSM_ROOT": str(out / "root")}, LIMIT_S)
    if code == 0:
        return ""
    if code is None:
        return f"{config}: hangs"
    at = re.search(r"RTL assertion before (cycle \d+): ([\w.:]+)", said)
    if at:
        return f"{config}: assertion {at[2]}, {at[1]}"
    at = re.search(r"RTL and model differ: (cycle \d+)[,:] (?:block )?(.{0,50})", said)
    return f"{config}: lockstep, {at[1]}, {at[2].split(' (')[0].split(',')[0]}" if at else f"{config}: breaks off, exit code {code}"


BENCH_FAILS = r"(?m)^not ok \d+ - (.*)|%Error: (\S+): Assertion"


def unit_bench(out, number, bench, limit_s=LIMIT_S):
    """The first thing that the bench saw, '' for nothing."""
    code, said = run(["stdbuf", "-oL", out / "unit" / bench / "run"], {"QSM_FAULT": str(number)}, limit_s, BENCH_FAILS)
    failed = re.search(BENCH_FAILS, said)
    if failed:
        return f"unit/{bench}: {failed[1] or 'assertion ' + failed[2]}"
    return "" if code == 0 else f"unit/{bench}: " + ("hangs" if code is None else f"exit code {code}")

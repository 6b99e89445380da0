#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of SMQoS in persistent workers against their ordinary form: workers.py [CONFIG [SIZE [WORKERS_PER_SM [LIMIT]]]]

Runs each alone on the model, for one pass, and prints a Markdown table: cycles of the ordinary form (To), To over those in workers, hits of the
L1. With LIMIT (25%) the ordinary form has only that much of an SM's threads, as the paper gives both the same. Figures 17 and 18 of the paper;
docs/workers.md has the tables of smqos at size L. Exit code 1 if a run or an output was wrong."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = "binomial mergesort cp tpacf hotspot pathfinder atax bicg gesummv lib lbm mri_gridding".split()
FORMS = ("off", "rh", "slate")


def measure(folder, config, size, program, form, own_keys):
    """The kernel of result.json, or None."""
    scenario = folder / "workers.yaml"
    scenario.write_text(f"config: {config}\nsize: {size}\ncycles: 1200000\nkernels:\n"
                        f"  - {{program: {program}, launches: 1, workers: {form}, {own_keys}}}\n", encoding="utf-8")
    run = subprocess.run([ROOT / "build/qsm", "run", "--quiet", "--overwrite", "--out", folder / "out", scenario], check=False)
    return None if run.returncode else json.loads((folder / "out/result.json").read_text(encoding="utf-8"))["kernels"][0]


def hits(kernel):
    l1 = kernel.get("l1")
    return f"{100 * l1['hits'] / l1['loads']:.0f} %" if l1 and l1["loads"] else ""


def main(config="smqos", size="L", per_sm="1", limit=""):
    failed = False
    own_keys = {form: f"workers_per_sm: {per_sm}" for form in FORMS} | {"off": f"thread_limit: {limit}" if limit else "sm_count: 0"}
    print("| program | To | rh: To / T | slate: To / T | L1 hits | rh | slate |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            off, *workers = (measure(pathlib.Path(folder), config, size, program, form, own_keys[form]) for form in FORMS)
            if not off or not all(workers):
                failed = True
                continue
            ratios = " | ".join(f"{off['response_cycles'] / kernel['response_cycles']:.2f}" for kernel in workers)
            print(f"| {program} | {off['response_cycles']} | {ratios} | {' | '.join(map(hits, (off, *workers)))} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Why kernels miss FGQ's goals: tables of the database of fgq_short.yaml, and of the GPU's counters in runs of its own (fgq_why.py --help)."""

import argparse
import collections
import json
import os
import pathlib
import sqlite3
import subprocess

SCENARIO = """config: wang2017
policy: gto
size: {size}
cycles: {cycles}
scheme: {scheme}
alpha_cap: off
rollover_cap: off
adjust: switch
kernels:
"""
REASONS = ["selected", "long_scoreboard", "short_scoreboard", "barrier", "no_instruction", "pipe_throttle", "not_selected", "quota"]
SMS, CHANNELS, BURST = 16, 8, 6  # of wang2017: an access has a channel's data bus for BURST cycles
EPOCH = 10000
QSM = os.environ.get("QSM", "build/fast/qsm")


def write_table(path, head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    path.write_text("".join(f"| {' | '.join(line)} |\n" for line in lines), encoding="utf-8")


# ---- Of the database ----


def matrix(database, variant):
    """What each program reaches of its goals beside each other one."""
    reached = collections.defaultdict(list)
    query = "SELECT programs, goals, 100 * ipc / goal_ipc FROM results WHERE variant = ? AND slot = 0 ORDER BY position"
    for programs, goal, percent in database.execute(query, [variant]):
        reached[tuple(programs.split(" + "))].append(f"{int(percent)} of {goal}")
    names = list(dict.fromkeys(name for name, _ in reached))
    rows = [[name] + [" / ".join(reached[name, other]) or "–" for other in names] for name in names]
    return ["goal of ↓ beside →", *names], rows


def missing(epochs, goal):
    """Thread instructions that the epochs lack of the goal's pace: between launches, with quota left, with quota spent; and what others have above it."""
    pace, sums = EPOCH * goal, collections.Counter()
    for instructions, counter in epochs:
        kind = "idle" if instructions < 0.01 * pace else "left" if counter > 0.02 * pace else "spent"
        sums[kind] += max(0, pace - instructions) / pace / len(epochs)
        sums["above"] += max(0, instructions - pace) / pace / len(epochs)
    return sums


def shortfall(database, variant):
    sums = collections.defaultdict(collections.Counter)
    query = "SELECT run, name, goals, reached, goal_ipc, ipc FROM results WHERE variant = ? AND slot = 0 ORDER BY position"
    for run, name, goals, reached, goal, ipc in database.execute(query, [variant]).fetchall():
        one = collections.Counter(cases=1, met=reached)
        if not reached:
            epochs = database.execute("SELECT instructions, counter FROM epochs WHERE run = ? AND slot = 0 ORDER BY cycle", [run])
            one.update(missing(epochs.fetchall(), goal), behind=1 - ipc / goal)
        sums[name, goals].update(one)
        sums["all", goals].update(one)
    rows = [[name, goals, str(one["cases"]), str(one["met"])] +
            [f"{100 * one[key] / (one['cases'] - one['met']):.1f}" if one["cases"] > one["met"] else "–" for key in ("behind", "idle", "left", "spent", "above")]
            for (name, goals), one in sorted(sums.items(), key=lambda item: (item[0][1], item[0][0] == "all"))]
    return ["program", "goal", "cases", "met", "behind, %", "between launches", "quota left", "quota spent", "above"], rows


def together(database):
    """What the kernels of a case reach of their speeds alone, in sum."""
    query = """SELECT variant, classes, count(*), 100 * avg(speed), 100 * min(speed), 100 * max(speed) FROM
      (SELECT variant, sum(normalised) AS speed, group_concat(upper(substr(class, 1, 1)), '+') AS classes, min(position) AS position
       FROM (SELECT * FROM results ORDER BY run, slot) GROUP BY run) GROUP BY variant, classes ORDER BY min(position)"""
    rows = [[f"{variant}, {classes}", str(cases), *(f"{speed:.0f}" for speed in speeds)] for variant, classes, cases, *speeds in database.execute(query)]
    return ["scheme, classes", "cases", "in sum, %", "least", "most"], rows


# ---- Of the GPU's counters ----


def run(folder, options, name, scheme, kernels):
    """result.json of a run, and its timeline."""
    scenario, timeline = folder / f"{name}.yaml", folder / f"{name}.timeline"
    text = SCENARIO.format(size=options.size, cycles=options.cycles, scheme=scheme)
    scenario.write_text(text + "".join(f"  - {{{kernel}}}\n" for kernel in kernels), encoding="utf-8")
    subprocess.run([QSM, "run", "--quiet", "--overwrite", "--out", folder / name, "--timeline", timeline, scenario], check=True)
    result = json.loads((folder / name / "result.json").read_text(encoding="utf-8"))
    events = json.loads(timeline.read_text(encoding="utf-8"))["traceEvents"]
    timeline.unlink()
    return result, events


def warps(events, kernel, cycles):
    """Warps of the kernel on an SM, by what they did, mean over the run."""
    means = []
    for reason in REASONS:
        samples = [(event["ts"], event["args"]["value"]) for event in events if event["name"] == f"warps: {reason} of {kernel}"]
        ends = [cycle for cycle, _ in samples[1:]] + [cycles]
        means.append(sum(value * (end - cycle) for (cycle, value), end in zip(samples, ends)) / cycles / SMS)
    return means


def counters(name, result, events):
    kernel, cycles = result["kernels"][0], result["cycles"]
    means = warps(events, kernel["name"], cycles)
    lines = sum(one["dram"]["reads"] + one["dram"]["writes"] for one in result["kernels"])
    opened = sum(one["dram"]["rows_opened"] for one in result["kernels"])
    return [name, f"{100 * kernel['ipc'] / kernel['isolated_ipc']:.0f}", f"{sum(means):.1f}", *(f"{100 * mean / sum(means):.1f}" for mean in means),
            f"{1000 * kernel['l2']['requests'] / kernel['thread_instructions']:.1f}", f"{100 * kernel['l2']['hits'] / kernel['l2']['requests']:.0f}",
            f"{100 * lines * BURST / cycles / CHANNELS:.0f}", f"{100 * opened / max(lines, 1):.0f}"]


def why_not(folder, options):
    rows = []
    for pair in options.pairs:
        kernel, other = pair.split("+")
        rows.append(counters(f"{kernel}, alone", *run(folder, options, kernel, "none", [f"program: {kernel}"])))
        for scheme in ("rollover", "rollover_time"):
            kernels = [f"program: {kernel}, goal: {options.goal}", f"program: {other}"]
            rows.append(counters(f"beside {other}, {scheme}", *run(folder, options, f"{pair}.{scheme}", scheme, kernels)))
    head = ["kernel", "of alone, %", "warps per SM", *(f"{reason}, %" for reason in REASONS), "L2 requests per 1000", "L2 hits, %", "data buses, %", "rows opened, %"]
    return head, rows


def main():
    parser = argparse.ArgumentParser(description="Writes tables in Markdown to SWEEPS/fgq.")
    parser.add_argument("sweeps", type=pathlib.Path, metavar="SWEEPS", help="folder with the database of fgq_short")
    parser.add_argument("--pairs", nargs="*", default=["mri_q+lbm", "cutcp+mri_gridding", "histo+sad", "tpacf+sgemm"],
                        help="whose counters are read: the one with a goal, +, the other")
    parser.add_argument("--goal", default="90%")
    parser.add_argument("--size", default="XL")
    parser.add_argument("--cycles", default="300000")
    parser.add_argument("--part", choices=["epochs", "counters"], help="only what the database tells, or only the counters; without: both")
    options = parser.parse_args()
    folder = options.sweeps / "fgq"
    folder.mkdir(parents=True, exist_ok=True)
    if options.part != "counters":
        database = sqlite3.connect(options.sweeps / "fgq_short.db")
        write_table(folder / "matrix.md", *matrix(database, "Rollover"))
        write_table(folder / "matrix_paper.md", *matrix(database, "rollover_paper"))
        write_table(folder / "matrix_spart.md", *matrix(database, "Spart"))
        write_table(folder / "shortfall.md", *shortfall(database, "Rollover"))
        write_table(folder / "shortfall_paper.md", *shortfall(database, "rollover_paper"))
        write_table(folder / "together.md", *together(database))
    if options.part != "epochs":
        write_table(folder / "counters.md", *why_not(folder, options))


if __name__ == "__main__":
    main()

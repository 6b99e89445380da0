#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The smallest static split of SMs that meets a goal over the whole run, for each case of a sweep (SMQoS's *Offline*): a search over numbers of SMs by
rounds of `qsm sweep` into one database. The last round is what was found, so that reports show it. Given again, it goes on where it stopped.

It takes a goal that n SMs meet to be met by more: what the other kernels then have less can only help.

The command that runs is build/fast/qsm, or QSM of the environment."""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import sys

QSM = os.environ.get("QSM", "build/fast/qsm")


def cases_of(path, label, goal):
    """Programs and goal of each case of a database, of one goal if it is given, and the number of SMs to begin with: what the kernel had in the mean
    under that label."""
    database = sqlite3.connect(f"file:{path.resolve()}?mode=ro", uri=True)
    query = """SELECT programs, goals, max(CASE WHEN slot = 0 AND label = ?1 THEN sms_mean END) FROM results
               WHERE goals NOTNULL AND (?2 IS NULL OR goals = ?2) GROUP BY programs, goals ORDER BY min(position)"""
    return {(programs, goal): sms for programs, goal, sms in database.execute(query, [label, goal])}


def next_try(known, most, hint):
    """The number of SMs to try next, None if the answer is known; `known` says of each number tried whether it met the goal."""
    low = max((n for n, met in known.items() if not met), default=0)
    high = min((n for n, met in known.items() if met), default=most + 1)
    if high - low <= 1:
        return None
    if not known:
        return min(most, max(1, round(hint))) if hint else most
    step = 1 << (len(known) - 1)
    if high > most:
        return min(most, low + step)
    if low == 0:
        return max(1, high - step)
    return (low + high) // 2


def answer(known, most):
    """The smallest number that met the goal; if none did, the largest there is."""
    return min((n for n, met in known.items() if met), default=most)


def text_of(base, tries):
    """The sweep of a round."""
    text = base.read_text(encoding="utf-8") + "cases:\n"
    for (programs, goal), n in tries.items():
        first, *others = programs.split(" + ")
        kernels = [f"{{program: {first}, goal: {goal}, sm_count: {n}}}", *(f"{{program: {other}}}" for other in others)]
        text += f"  - kernels: [{', '.join(kernels)}]\n"
    return text


def measure(options, tries):
    """Runs a round. Whether each case met its goal; a run that failed ends the program."""
    sweep = options.database.with_suffix(".yaml")
    sweep.write_text(text_of(options.base, tries), encoding="utf-8")
    command = [QSM, "sweep", str(sweep), "--db", str(options.database), *(["--jobs", str(options.jobs)] if options.jobs else [])]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f"offline: {' '.join(command)} failed")
    rows = sqlite3.connect(options.database).execute("SELECT programs, goal, met FROM cases").fetchall()
    return {(programs, goal): bool(met) for programs, goal, met in rows}


def search(options):
    """Rounds until every case has its answer."""
    hints = cases_of(options.cases, options.label, options.goal)
    known = {case: {} for case in hints}
    for number in range(1, 100):
        tries = {case: next_try(known[case], options.most, hint) for case, hint in hints.items()}
        tries = {case: n for case, n in tries.items() if n}
        if not tries:
            break
        print(f"offline: round {number}: {len(tries)} of {len(hints)} cases", flush=True)
        met = measure(options, tries)
        for case, n in tries.items():
            known[case][n] = met[case]
    found = {case: answer(tried, options.most) for case, tried in known.items()}
    measure(options, found)
    print(f"offline: {len(found)} cases, {sum(not tried[found[case]] for case, tried in known.items())} of them meet the goal with no split")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path, help="sweep file with all but the cases; scheme sm_static")
    parser.add_argument("cases", type=pathlib.Path, help="database of a sweep with the cases, one kernel of each with a goal, the first")
    parser.add_argument("database", type=pathlib.Path, help="database of the search; the sweep of its last round is written beside it")
    parser.add_argument("--label", default="SMQoS", help="variant of CASES whose SMs the search begins with (default: %(default)s)")
    parser.add_argument("--goal", help="only the cases with this goal, as the sweep has it: 95%%")
    parser.add_argument("--most", type=int, default=23, help="SMs that the first kernel may have (default: %(default)s)")
    parser.add_argument("--jobs", type=int)
    search(parser.parse_args())


if __name__ == "__main__":
    main()

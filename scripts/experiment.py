#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills in the page of an experiment from the databases of its sweeps, or the tables of its program: experiment.py PAGE.md FOLDER OUTPUT.md"""

import datetime
import pathlib
import re
import sqlite3
import subprocess
import sys

MARK = re.compile(r"<!-- (?:(?P<sweep>\w+) (?P<what>table|plot) (?P<name>\w+)|(?P<failed>\w+) errors|(?P<sweeps>[\w ]+) stamp"
                  r"|(?P<program>\w+) part (?P<part>\w+)|(?P<source>source)) -->")


def report(database, *options):
    return subprocess.run(["build/fast/qsm", "report", str(database), *options], check=True, stdout=subprocess.PIPE, text=True).stdout


def source(page):
    """Which version has measured."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    return (f"Generated from `experiments/{page.name}` ([experiments](../../experiments/README.md)); do not edit. Commit {commit},"
            f" {datetime.date.today()}.")


def stamp(page, databases):
    """The same, and what was measured."""
    query = "SELECT count(*), sum(status = 'ok'), sum(cpu_s) FROM runs WHERE position NOTNULL"
    sums = [sqlite3.connect(database).execute(query).fetchone() for database in databases]
    runs, right, cpu_s = (sum(column) for column in zip(*sums))
    return f"{source(page)} {runs:,} runs, {runs - right:,} of them without a result, {cpu_s / 60:.0f} minutes of CPU time."


def errors(database):
    table = report(database, "--table", "errors")
    return "## Runs without a result\n\n" + table if table.count("\n") > 2 else ""


def plot(database, name, output):
    path = output.with_name(f"{output.stem}_{name}.svg")
    report(database, "--plot", name, "--out", str(path))
    return f"![{name}]({path.name})\n"


def main():
    page, folder, output = map(pathlib.Path, sys.argv[1:])
    output.parent.mkdir(parents=True, exist_ok=True)

    def fill(mark):
        def database(sweep):
            return folder / f"{sweep}.db"
        if mark["sweeps"]:
            return stamp(page, [database(sweep) for sweep in mark["sweeps"].split()])
        if mark["source"]:
            return source(page)
        if mark["program"]:
            return (folder / mark["program"] / f"{mark['part']}.md").read_text(encoding="utf-8").rstrip()
        if mark["failed"]:
            return errors(database(mark["failed"]))
        if mark["what"] == "plot":
            return plot(database(mark["sweep"]), mark["name"], output)
        return report(database(mark["sweep"]), "--table", mark["name"]).rstrip()

    text = MARK.sub(fill, page.read_text(encoding="utf-8"))
    if "<!--" in text:
        sys.exit(f"{page}: not understood: {text[text.index('<!--'):].splitlines()[0]}")
    output.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(f"Written to {output}")


if __name__ == "__main__":
    main()

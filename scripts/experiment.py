#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills in the page of an experiment from the databases of its sweeps, or the tables of its program: experiment.py PAGE.md FOLDER OUTPUT.md
The command that reads them is build/fast/qsm, or QSM of the environment."""

import datetime
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import summary

MARK = re.compile(r"<!-- (?:(?P<sweep>\w+) (?P<what>table|plot) (?P<name>\w+)|(?P<failed>\w+) errors|(?P<sweeps>[\w ]+) stamp"
                  r"|(?P<program>\w+) part (?P<part>\w+)|(?P<form>query|draw) (?P<query>\w+)|(?P<alone>headlines|hours|source)) -->")

QSM = os.environ.get("QSM", "build/fast/qsm")


def report(database, *options):
    return subprocess.run([QSM, "report", str(database), *options], check=True, stdout=subprocess.PIPE, text=True).stdout


# ---- What has measured, and whether it adds up ----


def source(page):
    """Which version has measured."""
    return (f"Generated from `experiments/{page.name}` ([experiments](../../experiments/README.md)); do not edit. Commit {summary.commit()},"
            f" {datetime.date.today()}.")


def open_database(path):
    if not path.exists():
        sys.exit(f"{path}: not there")
    return sqlite3.connect(f"file:{path.resolve()}?mode=ro", uri=True)


def sums(path):
    """Runs whose instructions per kernel were found to be those per epoch, and those per SM. Ends the program where they are not."""
    database = open_database(path)
    ok = "FROM runs r WHERE r.status = 'ok'"
    kernels = "(SELECT coalesce(sum(instructions), 0) FROM kernels WHERE run = r.id)"
    wrong = database.execute("SELECT id, error FROM runs WHERE error LIKE 'energy counters:%' OR error LIKE '%R-EN-3%'").fetchall()
    wrong += database.execute(f"SELECT id, 'kernels and epochs do not agree' {ok} AND {kernels} <> (SELECT coalesce(sum(instructions), 0) FROM epochs"
                              " WHERE run = r.id)").fetchall()
    n, of_sms = database.execute(f"SELECT count(*), 0 {ok}").fetchone()
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'sms'").fetchone():
        sms = "SELECT sum(instructions) FROM sms WHERE run = r.id"
        wrong += database.execute(f"SELECT id, 'kernels and SMs do not agree' {ok} AND {kernels} <> ({sms})").fetchall()
        (of_sms,) = database.execute(f"SELECT count(*) {ok} AND ({sms}) NOTNULL").fetchone()
    if wrong:
        sys.exit("\n".join(f"{path}: run {run}: {error}" for run, error in wrong))
    return n, of_sms


def stamp(page, databases):
    """The same, and what was measured."""
    query = "SELECT count(*), coalesce(sum(status = 'ok'), 0), coalesce(sum(cpu_s), 0) FROM runs WHERE position NOTNULL"
    runs, right, cpu_s = (sum(column) for column in zip(*(open_database(database).execute(query).fetchone() for database in databases)))
    checked, of_sms = (sum(column) for column in zip(*map(sums, databases)))
    return (f"{source(page)} {runs:,} runs, {runs - right:,} of them without a result, {cpu_s / 60:.0f} minutes of CPU time. Instructions of kernels and of"
            f" their epochs agree in all {checked:,} runs and references, with those of the SMs in the {of_sms:,} that count them.")


# ---- Tables and plots of qsm report ----


def errors(database):
    table = report(database, "--table", "errors")
    return "## Runs without a result\n\n" + table if table.count("\n") > 2 else ""


def plot(database, name, output):
    path = output.with_name(f"{output.stem}_{name}.svg")
    report(database, "--plot", name, "--out", str(path))
    return f"![{name}]({path.name})\n"


# ---- Of queries of the experiment's own (NAME.toml) ----


class Queries:
    """What NAME.toml has under [tables]: a query, and how its rows are shown."""

    def __init__(self, page, folder):
        self.definition = summary.load(page.with_suffix(".toml"))
        self.database = summary.connect(self.definition, folder)

    def rows(self, name):
        wanted = self.definition.get("tables", {}).get(name)
        if not wanted:
            raise summary.Wrong(f"no table {name}")
        head, rows = summary.query(self.definition, self.database, {"query": name} | wanted)
        return wanted, *(pivot(wanted["pivot"], rows) if "pivot" in wanted else (head, [list(row) for row in rows]))

    def table(self, name):
        _, head, rows = self.rows(name)
        numbers = {i for i in range(1, len(head)) if all(is_figure(row[i]) for row in rows)}
        return summary.table(head, numbers, [["–" if cell is None else cell for cell in row] for row in rows]).rstrip()

    def draw(self, name, output):
        """Columns over the first one, lines or steps."""
        wanted, head, rows = self.rows(name)
        path = output.with_name(f"{output.stem}_{name}.svg")
        script = ["set terminal svg noenhanced size 960,480 background rgb 'white'", f"set output '{path}'", f"set xlabel '{wanted['x']}'", f"set ylabel '{wanted['y']}'",
                  "set yrange [0:*]", "set key outside right", "set grid ytics lc rgb 'gray85'", f"set title '{wanted.get('title', '')}'"]
        if "panels" in wanted:  # one below the other, by the first word of the columns
            panels = list(dict.fromkeys(column.split(":")[0] for column in head[1:]))
            script += [f"set terminal svg noenhanced size 960,{260 * len(panels)} background rgb 'white'", f"set multiplot layout {len(panels)},1"]
        else:
            panels = [None]
        for panel in panels:
            columns = [i for i in range(1, len(head)) if panel is None or head[i].split(":")[0] == panel]
            if panel is not None:
                script.append(f"set title '{panel}'")
            plots = ", ".join(f"'-' using 1:2 with {wanted.get('style', 'linespoints pt 7 ps 0.4')} lw 2 title '{head[i].split(':')[-1].strip()}'" for i in columns)
            script.append(f"plot {plots}")
            for i in columns:
                script += [f"{row[0]} {row[i]}" for row in rows if row[i] is not None] + ["e"]
        subprocess.run(["gnuplot"], input="\n".join(script) + "\n", check=True, text=True)
        return f"![{name}]({path.name})\n"


def is_figure(cell):
    return cell is None or re.fullmatch(r"[-+]?[\d.,]+( ?[%x])?|–", str(cell)) is not None


def pivot(corner, rows):
    """Rows of row, column, value as a table; both in the order in which they come."""
    columns, lines = dict.fromkeys(row[1] for row in rows), {}
    for row, column, value in rows:
        lines.setdefault(row, {})[column] = value
    return [corner, *columns], [[row, *(line.get(column) for column in columns)] for row, line in lines.items()]


# ---- What is not in it ----


def hours(definition, folder):
    """CPU time of sweeps at the paper's size, at the speed of the part of them that was measured."""
    rows = []
    for full, measured in definition["hours"].items():
        sweep = pathlib.Path(f"experiments/{full}.yaml")
        listed = subprocess.run([QSM, "sweep", "--dry-run", str(sweep)], check=True, stdout=subprocess.PIPE, text=True).stdout
        runs = int(listed.splitlines()[-1].split()[0])
        cycles = int(re.search(r"^cycles: (\d+)", sweep.read_text(encoding="utf-8"), re.MULTILINE)[1])
        query = "SELECT 1.0 * sum(cycles) / sum(cpu_s) FROM runs WHERE position NOTNULL AND status = 'ok'"
        (speed,) = open_database(folder / f"{measured}.db").execute(query).fetchone()
        rows.append([f"`build/fast/qsm sweep {sweep}`", f"{runs:,}", f"{cycles:,}", f"{speed:,.0f}", f"{runs * cycles / speed / 3600:.1f}"])
    return summary.table(["command", "runs", "cycles each", "cycles per CPU-second, measured", "CPU hours"], {1, 2, 3, 4}, rows).rstrip()


# ---- The page ----


def fill(page, folder, output):
    queries = None
    if "<!-- query " in page.read_text(encoding="utf-8") or "<!-- draw " in page.read_text(encoding="utf-8"):
        queries = Queries(page, folder)

    def replaced(mark):
        def database(sweep):
            return folder / f"{sweep}.db"
        if mark["sweeps"]:
            return stamp(page, [database(sweep) for sweep in mark["sweeps"].split()])
        if mark["alone"] == "source":
            return source(page)
        if mark["alone"] == "hours":
            return hours(summary.load(page.with_suffix(".toml")), folder)
        if mark["alone"] == "headlines":
            return summary.of_experiment(page.with_suffix(".toml"), folder).rstrip()
        if mark["program"]:
            return (folder / mark["program"] / f"{mark['part']}.md").read_text(encoding="utf-8").rstrip()
        if mark["failed"]:
            return errors(database(mark["failed"]))
        if mark["query"]:
            return queries.table(mark["query"]) if mark["form"] == "query" else queries.draw(mark["query"], output)
        if mark["what"] == "plot":
            return plot(database(mark["sweep"]), mark["name"], output)
        return report(database(mark["sweep"]), "--table", mark["name"]).rstrip()

    text = MARK.sub(replaced, page.read_text(encoding="utf-8"))
    if "<!--" in text:
        sys.exit(f"{page}: not understood: {text[text.index('<!--'):].splitlines()[0]}")
    output.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(f"Written to {output}")


def main():
    page, folder, output = map(pathlib.Path, sys.argv[1:])
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        fill(page, folder, output)
    except summary.Wrong as error:
        sys.exit(f"{page}: {error}")


if __name__ == "__main__":
    main()

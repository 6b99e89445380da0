#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headline figures of the experiments beside the papers': docs/results/summary.json, and what is made of it, docs/results/summary.md and the
table in README.md. summary.py NAME.toml FOLDER takes in what an experiment has measured into FOLDER, in the place of what it had; summary.py
makes the pages anew; summary.py --check only compares."""

import argparse
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tomllib

EXPERIMENTS, JSON = pathlib.Path("experiments"), pathlib.Path("docs/results/summary.json")
PAGE, README, MAKEFILE = pathlib.Path("docs/results/summary.md"), pathlib.Path("README.md"), pathlib.Path("mk/experiments.mk")
# What an entry says, in this order.
KEYS = ["paper", "figure", "metric", "unit", "paper_value", "ours", "cases", "configuration", "commit", "command"]
MEASURED = ["ours", "cases", "configuration", "commit"]
HEADLINE = {"figure", "metric", "unit"}  # what each headline has besides its query
BEGIN, END = "<!-- summary: made by `make summary` -->", "<!-- /summary -->"
MAX_TOP = 10
WITHOUT_FIGURES = {"experiment-attacks", "experiment-guarantee"}  # state no figure of a paper


class Wrong(Exception):
    """A file of the experiments that is not as it should be."""


def commit():
    """Which version measures. Results that are not committed yet make no other version."""
    def git(*command):
        return subprocess.run(["git", *command], capture_output=True, text=True, check=False).stdout.strip()

    dirty = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results", f":!{README}")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("-dirty" if dirty else "")


# ---- What the figures are ----


def load(path):
    """An experiment's NAME.toml, with the queries that all share."""
    try:
        definition = tomllib.loads(path.read_text(encoding="utf-8"))
        shared = tomllib.loads((path.parent / "queries.toml").read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Wrong(f"{path}: {error}") from error
    definition["queries"] = shared | definition.get("queries", {})
    return definition


def headlines(path):
    """The headlines of NAME.toml, their paper and command filled in."""
    definition = load(path)
    for headline in definition.get("headlines", []):
        if missing := HEADLINE - headline.keys():
            raise Wrong(f"{path}: figure {headline.get('figure', '?')}: no {', '.join(sorted(missing))}")
        yield {"paper": definition["paper"], "command": definition["command"], "page": f"experiment_{path.stem}.md", "paper_value": None} | headline


def all_headlines():
    return [headline for path in sorted(EXPERIMENTS.glob("*.toml")) if path.name != "queries.toml" for headline in headlines(path)]


def key(entry):
    return entry["command"], entry["figure"], entry["metric"]


def order(entry):
    """Figures with numbers in the order of these, what is in no figure at the end."""
    parts = [(1000, "")] if entry["figure"] == "–" else [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", str(entry["figure"]))]
    return entry["paper"], parts, entry["metric"], entry["command"]


# ---- The figures ----


def read_part(database, path):
    """A program's table as one of the database; columns of the same name are numbered."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    names = [name if rows[0][:i].count(name) == 0 else f"{name} {rows[0][:i].count(name) + 1}" for i, name in enumerate(rows[0])]
    database.execute(f'CREATE TABLE "{path.stem}" ({", ".join(chr(34) + name + chr(34) + " NUMERIC" for name in names)})')
    database.executemany(f'INSERT INTO "{path.stem}" VALUES ({", ".join("?" * len(names))})', rows[2:])


def connect(definition, folder):
    """All that the experiment has measured: its databases by their names, its programs' tables."""
    database = sqlite3.connect(":memory:", uri=True)
    for part in definition.get("parts", []):
        read_part(database, folder / f"{part}.md")
    for name in definition.get("databases", []):
        if not (folder / f"{name}.db").exists():
            raise Wrong(f"{folder / name}.db: not there")
        database.execute(f"ATTACH ? AS {name}", [f"file:{(folder / name).resolve()}.db?mode=ro"])
    for name, sql in definition.get("views", {}).items():
        database.execute(f"CREATE TEMP VIEW {name} AS {sql}")
    for name, sql in definition.get("stored", {}).items():  # what many queries take, made once
        database.execute(f"CREATE TEMP TABLE {name} AS {sql}")
    return database


def query(definition, database, wanted):
    """The rows of a named query, its places filled in; and the cursor's names of the columns."""
    try:
        sql = wanted["sql"] if "sql" in wanted else definition["queries"][wanted["query"]]
        cursor = database.execute(sql.format(**wanted))
    except (sqlite3.Error, KeyError) as error:
        raise Wrong(f"query {wanted['query']} of {wanted}: {error!r}") from error
    return [column[0] for column in cursor.description], cursor.fetchall()


def configuration(database, name):
    """Machine, inputs and length of the runs."""
    rows = database.execute(f"SELECT DISTINCT coalesce(config, '') || coalesce(', size ' || json_extract(scenario, '$.size'), '') || ', '"
                            f" || json_extract(scenario, '$.cycles') || ' cycles' FROM {name}.runs WHERE position NOTNULL AND status = 'ok' ORDER BY 1")
    return "; ".join(text for (text,) in rows)


def measure(path, folder):
    """The entries of an experiment, of what has been measured in this folder."""
    definition = load(path)
    database, version = connect(definition, folder), commit()
    for headline in headlines(path):
        _, rows = query(definition, database, headline)
        ours, cases = rows[0] if rows else (None, 0)
        machine = configuration(database, headline["db"]) if "db" in headline else definition["configuration"]
        found = {"ours": None if ours is None else float(f"{ours:.4g}"), "cases": cases, "configuration": machine, "commit": version}
        yield {name: (headline | found)[name] for name in KEYS}


# ---- summary.json ----


def read():
    return json.loads(JSON.read_text(encoding="utf-8")) if JSON.exists() else []


def text_of(entries):
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in sorted(entries, key=order)) + "\n]\n"


def completed(entries):
    """One entry per headline: what nobody has measured yet has no figure, what no experiment measures any more goes."""
    known = {key(entry): entry for entry in entries}
    return [{name: (headline | {other: known.get(key(headline), {}).get(other) for other in MEASURED})[name] for name in KEYS} for headline in all_headlines()]


# ---- What is made of it ----


def stated(value, unit):
    """A value as its paper states it."""
    return "–" if value is None else f"{value:g} {unit}".strip()


def figure(value, unit):
    return "–" if value is None else f"{value:.1f} %" if unit == "%" else f"{value:.4g} {unit}".strip()


def table(head, right, rows):
    lines = [head, ["---:" if i in right else "---" for i in range(len(head))], *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def of_experiment(path, folder):
    """The headlines of one experiment, for its own page."""
    rows = [[entry["figure"], entry["metric"], stated(entry["paper_value"], entry["unit"]), figure(entry["ours"], entry["unit"]), entry["cases"]]
            for entry in sorted(measure(path, folder), key=order)]
    return table(["figure", "what", "paper", "ours", "cases"], {2, 3, 4}, rows)


def page_of(entries):
    text = ("# Papers against ours\n\n"
            "What the papers state in numbers, and what the same experiment gives here: [summary.json](summary.json) as tables, made by `make summary`; do not\n"
            "edit. Each command measures its own lines anew. *Paper* –: the number is only in a figure, or not the paper's. *Ours* –: not measured yet, or\n"
            "nothing to take a mean of. What differs and why stands on the experiments' pages ([index](README.md)).\n")
    for paper in sorted({entry["paper"] for entry in entries}):
        rows = [[entry["figure"], entry["metric"], stated(entry["paper_value"], entry["unit"]), figure(entry["ours"], entry["unit"]),
                 "–" if entry["cases"] is None else entry["cases"], entry["configuration"] or "–", entry["commit"] or "not measured yet", f"`{entry['command']}`"]
                for entry in sorted(entries, key=order) if entry["paper"] == paper]
        text += f"\n## {paper}\n\n" + table(["figure", "what", "paper", "ours", "cases", "configuration", "commit", "command"], {2, 3, 4}, rows)
    return text


def readme_of(entries, text):
    """README.md with the ten that come first."""
    known = {key(entry): entry for entry in entries}
    top = sorted((headline for headline in all_headlines() if "top" in headline), key=lambda headline: headline["top"])
    if len(top) > MAX_TOP:
        raise Wrong(f"{len(top)} headlines are at the top, at most {MAX_TOP} may be")
    rows = []
    for headline in top:
        entry = known[key(headline)]
        rows.append([f"{entry['paper']} {entry['figure']}", entry["metric"], stated(entry["paper_value"], entry["unit"]), figure(entry["ours"], entry["unit"]),
                     entry["configuration"] or "–"])
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise Wrong(f"{README}: no place for the summary: {BEGIN} ... {END}")
    made_table = table(["figure", "what", "paper", "ours", "configuration"], {2, 3}, rows)
    return text[:text.index(BEGIN)] + f"{BEGIN}\n\n{made_table}\n{text[text.index(END):]}"


def made(entries):
    """The files that follow from the entries."""
    return {JSON: text_of(entries), PAGE: page_of(entries), README: readme_of(entries, README.read_text(encoding="utf-8"))}


def write(entries):
    for path, text in made(entries).items():
        path.write_text(text, encoding="utf-8")


def take_in(path, folder):
    """An experiment's figures in the place of those that it had."""
    new = list(measure(path, folder))
    others = [entry for entry in read() if key(entry) not in {key(one) for one in new}]
    write(completed(others + new))


# ---- Check ----


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def complaints(entries):
    """What is wrong with summary.json itself."""
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE))
    for entry in entries:
        name = f"{entry.get('paper')} {entry.get('figure')}, {entry.get('metric')}"
        if list(entry) != KEYS:
            yield f"{name}: keys are {', '.join(entry)}"
            return
        if not all(isinstance(entry[one], str) and entry[one] for one in ("paper", "figure", "metric", "command")) or not isinstance(entry["unit"], str):
            yield f"{name}: paper, figure, metric and command must be text"
        if any(entry[one] is not None and not is_number(entry[one]) for one in ("paper_value", "ours", "cases")):
            yield f"{name}: paper_value, ours and cases must be numbers or null"
        if entry["ours"] is not None and not (entry["commit"] and entry["configuration"] and entry["cases"]):
            yield f"{name}: a figure without commit, configuration or cases"
    commands = {entry["command"].removeprefix("make ") for entry in entries}
    for target in sorted(commands - targets):
        yield f"{target}: no such target in {MAKEFILE}"
    for target in sorted(one for one in targets if one.startswith("experiment-")):
        if target not in commands | WITHOUT_FIGURES:
            yield f"make {target}: no entry"
    pages = {key(headline): JSON.with_name(headline["page"]) for headline in all_headlines()}
    for entry in entries:
        page = pages.get(key(entry))
        if page and entry["commit"] and (not page.exists() or f"Commit {entry['commit']}," not in page.read_text(encoding="utf-8")):
            yield f"{entry['command']}: the summary has its figures of commit {entry['commit']}, {page} has not"
    for path, text in made(completed(entries)).items():
        if path.read_text(encoding="utf-8") != text:
            yield f"{path}: not what `make summary` makes of {EXPERIMENTS}/*.toml and {JSON}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, complain of what is not as it should be")
    parser.add_argument("experiment", nargs="?", type=pathlib.Path, metavar="NAME.toml", help="whose figures to take in")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, metavar="FOLDER", help="its databases, or its program's tables")
    options = parser.parse_args()
    if options.experiment and not options.folder:
        parser.error("NAME.toml needs a FOLDER")
    try:
        if not options.check:
            write(completed(read()))
            if options.experiment:
                take_in(options.experiment, options.folder)
            return 0
        found = list(complaints(read()))
    except (Wrong, OSError, json.JSONDecodeError) as error:
        found = [error]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table of the RTL's line coverage: coverage.py COUNTS REASONS OUTPUT

COUNTS is a folder of Verilator's coverage files and of `runs`, a line for each thing that was run. REASONS explains lines that
nothing reaches: `FILE -- a part of the line -- reason`. OUTPUT is a page in Markdown.
"""
import collections
import pathlib
import re
import subprocess
import sys

FIELD = re.compile(r"\x01([^\x02]*)\x02([^\x01']*)")
POINT = re.compile(r"^C '(.*)' (\d+)$")


def lines_of(spans):
    """`10-12,15` -> {10, 11, 12, 15}; '' -> none: a branch without lines of its own."""
    lines = set()
    for span in filter(None, spans.split(",")):
        first, _, last = span.partition("-")
        lines.update(range(int(first), int(last or first) + 1))
    return lines


def read(folder):
    """Counts of every point, a point being (file, line, number, what, lines), over all files of the folder."""
    counts = collections.Counter()
    for path in sorted(folder.glob("*.dat")):
        for text in path.read_text().splitlines():
            match = POINT.match(text)
            if match:
                field = dict(FIELD.findall(match[1]))
                if field["f"].startswith("rtl/"):
                    counts[field["f"], int(field["l"]), field["n"], field["o"], field.get("S", "")] += int(match[2])
    return counts


def by_file(counts):
    """{file: (hit, missed lines, hit, missed points)}. A line counts as hit when any of its points is."""
    files = {}
    for (name, line, _, what, spans), count in counts.items():
        hit, all_lines, points = files.setdefault(name, (set(), set(), {}))
        lines = lines_of(spans)
        all_lines |= lines
        if count:
            hit |= lines
        points[line, what] = points.get((line, what), 0) + count
    return {name: (hit, all_lines - hit, [p for p, n in points.items() if n], sorted(p for p, n in points.items() if not n))
            for name, (hit, all_lines, points) in sorted(files.items())}


def share(hit, missed):
    return f"{100 * hit / (hit + missed):.1f} %"


def read_reasons(path):
    reasons = [line.split(" -- ", 2) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in reason) for reason in reasons]


def reason_of(name, text, reasons):
    return next((why for where, part, why in reasons if where == name and part in text), "")


def table(missed, reasons):
    """Rows of missed places (file, line, side of a branch or ''), and the reasons that they use."""
    rows, used = [], set()
    for name, line, side in missed:
        text = pathlib.Path(name).read_text().splitlines()[line - 1].strip()
        why = reason_of(name, text, reasons)
        used.add((name, why))
        rows.append(f"| `{name}`:{line} | {side} | `{text.replace('|', chr(92) + '|')}` | {why} |")
    return (["| line | side | text | why |", "| --- | --- | --- | --- |", *rows] if rows else ["None."]), used


def missed_tables(files, reasons):
    """Of lines, and of branches on lines that are reached otherwise."""
    lines = [(name, line, "") for name, (_, missed, _, _) in files.items() for line in sorted(missed)]
    sides = [(name, line, what.removeprefix("cond_")) for name, (_, missed, _, points) in files.items()
             for line, what in points if line not in missed]
    (line_table, line_used), (side_table, side_used) = table(lines, reasons), table(sides, reasons)
    for name, part, why in reasons:
        if (name, why) not in line_used | side_used:
            print(f"coverage.py: {name}: `{part}` is reached, its reason can go", file=sys.stderr)
    return line_table, side_table


def page(files, runs, reasons):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    total = [sum(len(entry[i]) for entry in files.values()) for i in range(4)]
    rows = [f"| `{name}` | {len(a) + len(b)} | {share(len(a), len(b))} | {len(c) + len(d)} | {share(len(c), len(d))} |"
            for name, (a, b, c, d) in files.items()]
    line_table, side_table = missed_tables(files, reasons)
    benches = [run.removeprefix("unit bench ") for run in runs if run.startswith("unit bench ")]
    others = [run for run in runs if not run.startswith("unit bench ")]
    return "\n".join([
        "# Line coverage of the RTL",
        "",
        f"Written by `make coverage` at commit {commit}, Verilator 5.048. **{share(total[0], total[1])} of {total[0] + total[1]} lines** with",
        f"something to execute are reached, and {share(total[2], total[3])} of {total[2] + total[3]} points: blocks and both sides of each branch and",
        "conditional expression. Only lines inside procedures and conditional expressions count; plain assignments and instances always run.",
        "",
        "Counted over:",
        "",
        *(f"- {run}" for run in others),
        f"- unit benches: {', '.join(benches)}",
        "",
        "| file | lines | reached | points | reached |",
        "| --- | ---: | ---: | ---: | ---: |",
        *rows,
        f"| all | {total[0] + total[1]} | {share(total[0], total[1])} | {total[2] + total[3]} | {share(total[2], total[3])} |",
        "",
        "## Lines not reached",
        "",
        *line_table,
        "",
        "## Sides of branches not taken",
        "",
        *side_table,
        "",
    ])


def main():
    folder, reasons, output = (pathlib.Path(argument) for argument in sys.argv[1:])
    text = page(by_file(read(folder)), (folder / "runs").read_text().splitlines(), read_reasons(reasons))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    print(f"coverage: {output}: {re.search(r'[*][*](.*)[*][*]', text)[1]}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table of the RTL's line and branch coverage: coverage.py COUNTS REASONS OUTPUT

COUNTS is a folder of Verilator's coverage files and of `runs`, a line for each thing that was run. REASONS explains lines that
nothing reaches: `FILE -- construct -- reason`, a construct being one of CONSTRUCTS, so that a rename or a new layout changes no reason.
OUTPUT is a page in Markdown.
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
    """Counts of every point, a point being (file, line, column, what, lines), over all files of the folder."""
    counts = collections.Counter()
    for path in sorted(folder.glob("*.dat")):
        for text in path.read_text().splitlines():
            match = POINT.match(text)
            if match:
                field = dict(FIELD.findall(match[1]))
                if field["f"].startswith("rtl/"):
                    counts[field["f"], int(field["l"]), int(field["n"]), field["o"], field.get("S", "")] += int(match[2])
    return counts


def by_file(counts):
    """{file: (hit, missed lines, hit, missed branches)}. A line counts as hit when any of its points is; branches are all points but blocks."""
    files = {}
    for (name, line, column, what, spans), count in counts.items():
        hit, all_lines, branches = files.setdefault(name, (set(), set(), {}))
        lines = lines_of(spans)
        all_lines |= lines
        if count:
            hit |= lines
        if what != "block":
            branches[line, column, what] = branches.get((line, column, what), 0) + count
    return {name: (hit, all_lines - hit, [b for b, n in branches.items() if n], sorted(b for b, n in branches.items() if not n))
            for name, (hit, all_lines, branches) in sorted(files.items())}


def share(hit, missed):
    return f"{100 * hit / (hit + missed):.1f} %" if hit + missed else ""


def read_reasons(path):
    reasons = [line.split(" -- ", 2) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in reason) for reason in reasons]


def functions_of(text):
    """{name: (start, end)}"""
    return {match[1]: match.span() for match in re.finditer(r"\bfunction\b[^;(]*?(\w+)\s*[(;].*?\bendfunction\b", text, re.DOTALL)}


def elaborated_functions(text):
    """Functions that are called for parameters, widths and checks of them only, or by such functions."""
    functions = functions_of(text)
    calls = {name: [match.start() for match in re.finditer(rf"\b{name}\s*\(", text) if not within(match.start(), span)]
             for name, span in functions.items()}

    def constant(at):
        """Whether the statement is one of elaboration."""
        start = max(text.rfind(";", 0, at), text.rfind("endfunction", 0, at) + len("endfunction") - 1, text.rfind("#(", 0, at) + 1) + 1
        return re.match(r"\s*(localparam|parameter|if\b[^;]*\$(error|fatal))", text[start:text.find(";", at) + 1]) is not None

    elaborated = set(functions)
    while True:
        runs = {name for name in elaborated if not all(
            constant(at) or any(within(at, functions[other]) for other in elaborated if other != name) for at in calls[name])}
        if not runs:
            return elaborated
        elaborated -= runs


def within(at, span):
    return span[0] <= at < span[1]


def in_elaborated_function(text, start, line):
    functions = functions_of(text)
    return any(functions[name][0] < start + len(line) and start < functions[name][1] for name in elaborated_functions(text))


def is_default(_text, _start, line):
    return re.match(r"\s*default\s*:", line) is not None


def is_return(_text, _start, line):
    return re.search(r"\breturn\b", line) is not None


def assigns_output(text, _start, line):
    match = re.match(r"\s*assign\s+(\w+)", line)
    return match is not None and re.search(rf"\boutput\b[^,;()]*\b{match[1]}\b", text) is not None


# Of what a line of a file is.
CONSTRUCTS = {"elaborated function": in_elaborated_function, "default": is_default, "return": is_return, "assignment of an output": assigns_output}


def is_construct(construct, text, number):
    lines = without_comments(text).splitlines(keepends=True)
    return CONSTRUCTS[construct]("".join(lines), sum(len(line) for line in lines[:number - 1]), lines[number - 1])


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def table(missed, reasons):
    """Rows of missed places (file, line, side of a branch or ''), and what was used of the reasons: (file, part), or (file, line) if there is none."""
    rows, used = [], set()
    for name, line, side in missed:
        source = pathlib.Path(name).read_text()
        text = source.splitlines()[line - 1].strip()
        part, why = next(((part, why) for where, part, why in reasons if where == name and is_construct(part, source, line)), (line, ""))
        used.add((name, part))
        rows.append(f"| `{name}`:{line} | {side} | `{text.replace('|', chr(92) + '|')}` | {why} |")
    return (["| line | side | text | why |", "| --- | --- | --- | --- |", *rows] if rows else ["None."]), used


def missed_tables(files, reasons):
    """Of lines, and of branches on lines that are reached otherwise; and complaints of reasons: those that lack, those that can go."""
    lines = [(name, line, "") for name, (_, missed, _, _) in files.items() for line in sorted(missed)]
    sides = [(name, line, what.removeprefix("cond_")) for name, (_, missed, _, branches) in files.items()
             for line, _, what in branches if line not in missed]
    (line_table, line_used), (side_table, side_used) = table(lines, reasons), table(sides, reasons)
    used = line_used | side_used
    complaints = [f"{name}:{line}: not reached, and no reason why" for name, line in sorted(place for place in used if isinstance(place[1], int))]
    complaints += [f"{name}: `{part}` is reached, its reason can go" for name, part, _ in reasons if (name, part) not in used]
    return line_table, side_table, complaints


def page(files, runs, line_table, side_table):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    total = [sum(len(entry[i]) for entry in files.values()) for i in range(4)]
    rows = [f"| `{name}` | {len(a) + len(b)} | {share(len(a), len(b))} | {len(c) + len(d)} | {share(len(c), len(d))} |"
            for name, (a, b, c, d) in files.items()]
    benches = [run.removeprefix("unit bench ") for run in runs if run.startswith("unit bench ")]
    others = [run for run in runs if not run.startswith("unit bench ")]
    return "\n".join([
        "# Line and branch coverage of the RTL",
        "",
        f"Written by `make coverage` at commit {commit}, Verilator 5.048. **{share(total[0], total[1])} of {total[0] + total[1]} lines** with",
        f"something to execute are reached, and **{share(total[2], total[3])} of {total[2] + total[3]} branches**: both sides of each `if` and conditional",
        "expression, items of each `case`. Only lines inside procedures and conditional expressions count; plain assignments and instances always run.",
        "",
        "Counted over:",
        "",
        *(f"- {run}" for run in others),
        f"- unit benches: {', '.join(benches)}",
        "",
        "| file | lines | reached | branches | taken |",
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
    files = by_file(read(folder))
    line_table, side_table, complaints = missed_tables(files, read_reasons(reasons))
    text = page(files, (folder / "runs").read_text().splitlines(), line_table, side_table)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    print(f"coverage: {output}: {', '.join(re.findall(r'[*][*](.*?)[*][*]', text))}")
    for complaint in complaints:
        print(f"coverage.py: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders Markdown as HTML, with its figures: docs.py FOLDER|FILE… OUTPUT

Fenced blocks `wavedrom` become timing diagrams, `dot` graphs (Graphviz's command). Errors: a local link, or a name of a file of this
tree, that leads to no file; a figure that cannot be drawn or whose rows do not agree; in pages of docs/ itself a line that wrap_pages.py would
wrap. To be called at the root of the tree.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import markdown
import wavedrom
import yaml

import wrap_pages

STYLE = ("body{font:16px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}"
         "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em}figure{margin:1em 0;padding-left:3em;overflow-x:auto}svg{overflow:visible}")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:rtl|c_model|sim|sw|tb|docs|scripts|configs|examples|experiments|mk|fpga)/[\w./*+-]*)`")
PLACEHOLDER = re.compile("NAME|FOLDER|STEM|/X/")
FIGURE = re.compile(r"^```(wavedrom|dot)\n(.*?)^```$", re.M | re.S)
WAVE = re.compile(r"[01xzpPnNhHlLudDU2-9=|.]+")


class Broken(Exception):
    """A figure that says nothing, or not what it seems to say."""


def pages(sources):
    for source in map(pathlib.Path, sources):
        yield from sorted(source.rglob("*.md")) if source.is_dir() else [source]


def broken_links(page, text):
    for target in (first or second for first, second in LINK.findall(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S))):
        path = target.split("#")[0]
        if path and "://" not in target and not (page.parent / path).exists():
            yield f"no such file: {target}"


def missing_files(text):
    """Files and folders of the tree that the text names; `tb/model/test_l1` stands for what begins so."""
    for name in dict.fromkeys(NAMED.findall(text)):
        if not PLACEHOLDER.search(name) and not any(pathlib.Path().glob(name.rstrip("/") + "*")):
            yield f"no such file: {name}"


def long_lines(page, text):
    if page.parent.name == "docs":
        for number in wrap_pages.too_long(text.split("\n")):
            yield f"line {number} has more than {wrap_pages.LIMIT} characters: scripts/wrap_pages.py {page}"


def rows(signals):
    """Rows of a timing diagram, those of groups too."""
    for row in signals:
        if isinstance(row, list):
            yield from rows(part for part in row if not isinstance(part, str))
        elif row:
            yield row


def check_waves(source):
    signals = list(rows(yaml.safe_load(source).get("signal") or []))
    if not signals:
        raise Broken("no signals")
    cycles = {len(row["wave"]) for row in signals if "wave" in row}
    if len(cycles) != 1:
        raise Broken(f"rows of {sorted(cycles)} cycles")
    for row in signals:
        wave = str(row.get("wave", "."))
        if not WAVE.fullmatch(wave):
            raise Broken(f"row {row.get('name')}: wave {wave}")
        values = len(re.findall("[2-9=]", wave))
        if values != len(row.get("data", [])):
            raise Broken(f"row {row.get('name')}: {values} values in the wave, {len(row.get('data', []))} in data")


def draw_waves(source):
    check_waves(source)
    return wavedrom.render(source.replace("{", "{config: {hscale: 2},", 1)).tostring()  # wide enough for words


def draw_graph(source):
    dot = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True)
    if dot.returncode or dot.stderr:
        raise Broken(dot.stderr.strip())
    return dot.stdout[dot.stdout.index("<svg"):]


def draw(kind, source):
    """(SVG, what is wrong with the figure)"""
    try:
        return (draw_waves if kind == "wavedrom" else draw_graph)(source), None
    except (Broken, yaml.YAMLError, AttributeError, TypeError, KeyError) as error:
        return "", f"{kind} figure: {' '.join(str(error).split())}"


def render(page, text, output):
    """Writes the page; returns what is wrong with its figures."""
    target = (output / page.relative_to(page.anchor)).with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    drawn = [draw(*figure) for figure in FIGURE.findall(text)]
    numbers = iter(range(len(drawn)))
    text = FIGURE.sub(lambda _: f"\n<figure>{next(numbers)}</figure>\n", text)
    body = markdown.markdown(re.sub(r"(\]\([^):]*)\.md\b", r"\1.html", text), extensions=["tables", "fenced_code", "toc"], tab_length=2)
    body = re.sub(r"<figure>(\d+)</figure>", lambda match: f"<figure>{drawn[int(match[1])][0]}</figure>", body)
    for plot in page.parent.glob("*.svg"):
        shutil.copy(plot, target.parent)
    title = text.lstrip("# ").split("\n")[0]
    target.write_text(f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{STYLE}</style>{body}", encoding="utf-8")
    return len(drawn), [error for _, error in drawn if error]


def main():
    *sources, output = sys.argv[1:]
    n_pages = n_figures = n_errors = 0
    for page in pages(sources):
        text = page.read_text(encoding="utf-8")
        n_drawn, errors = render(page, text, pathlib.Path(output))
        for error in [*broken_links(page, text), *missing_files(text), *long_lines(page, text), *errors]:
            print(f"{page}: {error}", file=sys.stderr)
            n_errors += 1
        n_pages += 1
        n_figures += n_drawn
    print(f"{n_pages} pages with {n_figures} figures in {output}, {n_errors} errors")
    return 1 if n_errors else 0


if __name__ == "__main__":
    sys.exit(main())

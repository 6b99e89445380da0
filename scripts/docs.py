#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders Markdown as HTML and checks that every local link leads to a file: docs.py FOLDER|FILE… OUTPUT"""

import pathlib
import re
import shutil
import sys

import markdown

STYLE = "body{font:16px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em}td,th{border:1px solid #ccc;padding:.2em .6em}table{border-collapse:collapse}"
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def pages(sources):
    for source in map(pathlib.Path, sources):
        yield from sorted(source.rglob("*.md")) if source.is_dir() else [source]


def broken_links(page, text):
    for target in (first or second for first, second in LINK.findall(re.sub(r"`[^`]*`", "", text))):
        path = target.split("#")[0]
        if path and "://" not in target and not (page.parent / path).exists():
            yield target


def render(page, text, output):
    target = (output / page).with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    body = markdown.markdown(re.sub(r"(\]\([^):]*)\.md\b", r"\1.html", text), extensions=["tables", "fenced_code", "toc"])
    for plot in page.parent.glob("*.svg"):
        shutil.copy(plot, target.parent)
    title = text.lstrip("# ").split("\n")[0]
    target.write_text(f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{STYLE}</style>{body}", encoding="utf-8")


def main():
    *sources, output = sys.argv[1:]
    n_pages = n_broken = 0
    for page in pages(sources):
        text = page.read_text(encoding="utf-8")
        for target in broken_links(page, text):
            print(f"{page}: no such file: {target}", file=sys.stderr)
            n_broken += 1
        render(page, text, pathlib.Path(output))
        n_pages += 1
    print(f"{n_pages} pages in {output}, {n_broken} broken links")
    return 1 if n_broken else 0


if __name__ == "__main__":
    sys.exit(main())

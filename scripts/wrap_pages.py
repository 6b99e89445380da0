#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wraps paragraphs and list items of Markdown pages that have lines of more than 120 characters: wrap_pages.py FILE…

Tables, fenced and indented blocks, headings, pages that are generated and whatever fits already stay as they are. Code spans and `**bold**` are never broken, nor does a
line begin with what would be a list, a heading or a table.
"""
import pathlib
import re
import sys

LIMIT = 120
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.) +")
TOKEN = re.compile(r"(?:\*No test: |`[^`]+`|\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\)|\S)+")
MARKUP = re.compile(r"^([-+*>|#]|\d+[.)]$|={2,}|~~~|```)")


def too_long(lines):
    """Numbers, from 1, of the lines that wrapping is for."""
    if any("do not edit" in line for line in lines[:5]):  # generated
        return
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and len(line) > LIMIT and not is_kept(lines, number - 1):
            yield number


def is_kept(lines, index):
    """Heading, row of a table, or line of an indented block."""
    line = lines[index]
    if line.lstrip().startswith(("|", "#")):
        return True
    if not line.startswith("    "):
        return False
    before = index
    while before > 0 and (lines[before].startswith("    ") or not lines[before].strip()):
        before -= 1
    return before < index and any(not above.strip() for above in lines[before:index])


def unbroken(text):
    """Words of the text; what would be markup at the begin of a line goes with the word before it."""
    words = []
    for token in TOKEN.findall(text):
        if words and MARKUP.match(token):
            words[-1] += " " + token
        else:
            words.append(token)
    return words


def wrap(text, first, rest):
    lines, line = [], first
    for token in unbroken(text):
        empty = line in (first, rest)
        if not empty and len(line) + 1 + len(token) > LIMIT:
            lines.append(line)
            line, empty = rest, True
        line += token if empty else " " + token
    return lines + [line]


def paragraphs(lines):
    """[(first, end)] of runs of lines that are one paragraph or one item."""
    fenced, begin = False, None
    for index, line in enumerate(lines + [""]):
        fence = line.lstrip().startswith("```")
        stops = fenced or fence or not line.strip() or is_kept(lines + [""], index)
        if begin is not None and (stops or ITEM.match(line)):
            yield begin, index
            begin = None
        if not stops and begin is None:
            begin = index
        fenced ^= fence


def wrapped(text):
    lines = text.split("\n")
    long = {number - 1 for number in too_long(lines)}
    for begin, end in reversed(list(paragraphs(lines))):
        if not long & set(range(begin, end)):
            continue
        item = ITEM.match(lines[begin])
        first = item[0] if item else re.match(r"\s*", lines[begin])[0]
        body = " ".join([lines[begin][len(first):]] + [line.strip() for line in lines[begin + 1:end]])
        lines[begin:end] = wrap(body, first, " " * len(first))
    return "\n".join(lines)


def main():
    for path in map(pathlib.Path, sys.argv[1:]):
        text = path.read_text(encoding="utf-8")
        if wrapped(text) != text:
            path.write_text(wrapped(text), encoding="utf-8")


if __name__ == "__main__":
    main()

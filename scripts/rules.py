#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which test or proof checks each numbered rule of the pages: rules.py [--check] ROOT

Writes docs/results/rules.md below ROOT, or compares its rules with those of the pages. Errors, each with its place: an id that no page
defines or two do, a rule that nothing checks. A page may say of a rule in one line `*No test: why.*`. So with the codes of decisions (B10):
each has one entry in docs/decisions.md and is named elsewhere.
"""
import collections
import functools
import pathlib
import re
import sys

PAGE = "docs/results/rules.md"
FOLDERS = ("docs", "rtl", "c_model", "sim", "sw", "tb", "experiments", "examples", "configs", "mk", "scripts", "fpga")
SUFFIXES = {".md", ".sv", ".vlt", ".rdl", ".c", ".h", ".cpp", ".hpp", ".S", ".sh", ".py", ".txt", ".yaml", ".mk", ".inc"}
NO_TESTS = ("cosim", "mutate", "coverage", "formal", "fp", "sw/ref_", "sw/test_isa", "sw/isa_cases", "sw/test_disasm")
# These of tb/ are no tests of the machine: the lockstep, what breaks the RTL, counts, references alone. Proofs have their own column.

DEFINITION = re.compile(r"^\s*(?:- )?\*\*([IPR]-[A-Z0-9]+-\d+)\b\s*([^*]*)\*\*(.*)")
FAMILY = r"[IPR]-[A-Z0-9]+"
CITATION = re.compile(rf"(?<![\w-])({FAMILY})-(\d+)((?:(?:, | and | or | to | ?\.\. ?)(?:{FAMILY})?-\d+|\.\.\d+)*)")
NEXT = re.compile(rf"(, | and | or | to | ?\.\. ?)({FAMILY})?-?(\d+)")

DECISIONS = "docs/decisions.md"
ENTRY = re.compile(r"^- \*\*([WQBPG]\d+) ")
CODE = re.compile(r"(?<![\w.\-/#])[WQBPG][1-9]\d?(?![\w\-]|\.\d)")
CODES = re.compile(rf"{CODE.pattern}(?: to {CODE.pattern})?")  # no groups: findall gives the text

FUNCTION = re.compile(r"^(?:static )?(?:void|bool|int)\s+(\w+)\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'')
TITLED = re.compile(r"(?:\b|%s)(?:done|ok|report|verdict|name|expect\w*|bad\w*)\b")
IDS = rf"{FAMILY}-\d+(?:(?:, | and | to )(?:{FAMILY})?-\d+)*(?:, [A-Z]\d+)*"
NOT_TITLE = rf"^%sok \d+ - |^{IDS}: | \({IDS}\)|# SKIP.*|\\n"

Rule = collections.namedtuple("Rule", "id page title excused")


def cited(text):
    """Ids of a line; `R-PE-12 to R-PE-14`, `R-PE-12 .. -14` and `R-PE-12..14` have all three."""
    for match in CITATION.finditer(text):
        family, last = match[1], int(match[2])
        yield f"{family}-{last}"
        for how, other, number in NEXT.findall(match[3]):
            if how.strip() in ("to", ".."):
                yield from (f"{family}-{n}" for n in range(last + 1, int(number)))
            family, last = other or family, int(number)
            yield f"{family}-{last}"


@functools.cache
def files(root):
    """[(name, lines)]"""
    paths = (file for folder in FOLDERS for file in sorted((root / folder).rglob("*")))
    return [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8").splitlines()) for path in paths
            if path.suffix in SUFFIXES and path.is_file() and path != root / PAGE]


def codes(text):
    """Codes of decisions in a line; `P1 to P4` has all four."""
    for match in CODES.findall(text):
        first, _, last = match.partition(" to ")
        yield from (f"{first[0]}{n}" for n in range(int(first[1:]), int(last[1:] or first[1:]) + 1))


def decisions(root):
    """Errors of the codes of decisions."""
    entries, named, errors = set(), set(), []
    for name, lines in files(root):
        if name.startswith("docs/results/"):
            continue
        for number, line in enumerate(lines, 1):
            entry = ENTRY.match(line) if name == DECISIONS else None
            if entry and entry[1] in entries:
                errors.append(f"{name}:{number}: {entry[1]} has an entry already")
            entries |= {entry[1]} if entry else set()
            named |= {(code, f"{name}:{number}") for code in codes(line) if name != DECISIONS}
    errors += [f"{place}: {code} has no entry in {DECISIONS}" for code, place in sorted(named) if code not in entries]
    return errors + [f"{DECISIONS}: nothing names {code}" for code in sorted(entries - {code for code, _ in named})]


def rules_of(name, lines):
    """Rules that a page defines: [(line, Rule)]."""
    rules = []
    for number, line in enumerate(lines, 1):
        match = DEFINITION.match(line)
        if match:
            title = match[2].strip(" .:") or " ".join(re.sub(r"[*`]", "", match[3]).split()[:8])
            rules.append((number, Rule(match[1], name, title, False)))
        if rules and "*No test: " in line:
            rules[-1] = (rules[-1][0], rules[-1][1]._replace(excused=True))
    return rules


def title_of(name, lines, index):
    """What the test calls itself where it cites: the string around the citation, or the function, or '' (of the whole file)."""
    line = lines[index]
    for one, other in STRING.findall(line):
        if CITATION.search(one or other) and any(TITLED.search(text) for text in lines[max(index - 1, 0):index + 1]):
            return re.sub(NOT_TITLE, "", one or other).strip()
    while index + 1 < len(lines) and lines[index].startswith("//"):
        index += 1
    match = FUNCTION.match(lines[index]) if name.endswith((".c", ".cpp")) else None
    return match[1].removeprefix("test_").replace("_", " ") if match else ""


def kind_of(name):
    """Column in which a citation of the file counts, or '' for none."""
    top, _, inside = name.partition("/")
    if top in ("rtl", "c_model"):
        return top
    if top != "tb" or name.endswith(".md"):
        return ""
    if inside.startswith("formal/") and name.endswith((".sv", "proofs.txt")):
        return "proof"
    return "" if inside.startswith(NO_TESTS) else "test"


def proof_name(name, lines, index):
    """`BLOCK PROOF` of a line of proofs.txt, the file's name otherwise."""
    if not name.endswith("proofs.txt"):
        return f"`{name}`"
    block = next(line.split()[1] for line in reversed(lines[:index + 1]) if line.startswith("== "))
    proof = next((line.split()[0] for line in reversed(lines[:index + 1]) if line[:1] not in (" ", "=", "")), "")
    return f"{block} {proof}".strip()


def read(root):
    """(rules by id, places by id and column, errors)."""
    rules, found, places, errors = {}, [], collections.defaultdict(lambda: collections.defaultdict(dict)), []
    for name, lines in files(root):
        if re.fullmatch(r"docs/[a-z0-9_-]+\.md", name):
            for number, rule in rules_of(name, lines):
                if rule.id in rules:
                    errors.append(f"{name}:{number}: {rule.id} is defined in {rules[rule.id].page} already")
                rules[rule.id] = rule
        found += [(name, lines, index, rule) for index, line in enumerate(lines) for rule in cited(line)]
    for name, lines, index, rule in found:
        if rule not in rules:
            errors.append(f"{name}:{index + 1}: {rule}: no page defines it")
        kind = kind_of(name)
        if kind == "test":
            places[rule][kind].setdefault(name, {})[title_of(name, lines, index)] = True
        elif kind:
            places[rule][kind][proof_name(name, lines, index) if kind == "proof" else (name, index)] = True
    errors += [f"{rule.page}: {rule.id} {rule.title}: no test and no proof" for rule in rules.values()
               if not rule.excused and not places[rule.id]["test"] and not places[rule.id]["proof"]]
    return rules, places, errors


def tests_cell(tests):
    titled = {name: [title for title in seen if title] for name, seen in tests.items()}
    return "<br>".join(f"`{name}`" + (": " + "; ".join(titles) if titles else "") for name, titles in titled.items())


def row(rule, places):
    """One rule's line of the table."""
    cells = (rule.id, rule.title, tests_cell(places["test"]), "<br>".join(places["proof"]), len(places["rtl"]), len(places["c_model"]))
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def write(rules, places):
    tested = sum(1 for rule in rules if places[rule]["test"])
    proved = sum(1 for rule in rules if places[rule]["proof"])
    excused = sum(1 for rule in rules.values() if rule.excused)
    text = ["# Rules and what checks them", "",
            f"Written by `make rules`. Of {len(rules)} rules on the pages **{tested} have a test that names them**, {proved} a proof;",
            f"{excused} cannot have one, as their page says. The lockstep, which compares RTL and model in every cycle, is not counted. A test that",
            "names a rule in its title or before a case is listed with that; the others compare a whole block with the page in every cycle, or check it",
            "inside. RTL, model: places that name the rule.", ""]
    for page in dict.fromkeys(rule.page for rule in rules.values()):
        text += [f"## [{page.removeprefix('docs/')}](../{page.removeprefix('docs/')})", "",
                 "| rule | title | tests | proofs | RTL | model |", "| --- | --- | --- | --- | ---: | ---: |"]
        text += [row(rule, places[rule.id]) for rule in rules.values() if rule.page == page] + [""]
    return "\n".join(text)


def stale(rules, path):
    """Differences between the rules of the written table and those of the pages."""
    seen = set(re.findall(r"^\| ([IPR]-[A-Z0-9]+-\d+) ", path.read_text(encoding="utf-8"), re.M)) if path.exists() else set()
    return ([f"{path}: {rule} of {rules[rule].page} is not there: make rules" for rule in rules if rule not in seen]
            + [f"{path}: {rule} is on no page: make rules" for rule in sorted(seen - set(rules))])


def main():
    *options, folder = sys.argv[1:]
    root = pathlib.Path(folder)
    rules, places, errors = read(root)
    errors += decisions(root)
    if options == ["--check"]:
        errors += stale(rules, root / PAGE)
    else:
        (root / PAGE).write_text(write(rules, places), encoding="utf-8")
    for error in errors:
        print(f"rules.py: {error}", file=sys.stderr)
    print(f"{len(rules)} rules, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

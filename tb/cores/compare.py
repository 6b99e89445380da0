#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py TREE: for every target of every manifest, the files that FuseSoC finds are those of scripts/cores.py, and each core comes
behind what it needs in both; a block of the RTL names every core whose packages its files import. TAP, a case for each core. Needs FuseSoC."""
import pathlib
import re
import sys

tree = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(tree / "scripts"))
import cores as ours  # noqa: E402
from fusesoc.config import Config  # noqa: E402
from fusesoc.coremanager import CoreManager  # noqa: E402
from fusesoc.librarymanager import Library  # noqa: E402
from fusesoc.vlnv import Vlnv  # noqa: E402

manager = CoreManager(Config())
for folder in ours.FOLDERS:
    manager.add_library(Library(folder, str(tree / folder)), [])


def theirs(name, target, flow):
    """[(core, its files)] in FuseSoC's order"""
    flags = {"target": target, "is_toplevel": True, "tool": "verilator", **({"flow": flow} if flow else {})}
    found = []
    for core in manager.get_depends(Vlnv(name), flags):
        of = {**flags, "is_toplevel": str(core.name) == str(Vlnv(name))}
        files = [str(pathlib.Path(core.core_root, file["name"]).resolve().relative_to(tree)) for file in core.get_files(of)]
        found.append((":".join(str(core.name).split(":")[:3]), files))
    return found


def difference(cores, name, target):
    flow = cores[name].content.get("targets", {}).get(target, {}).get("flow")
    mine = [(core.name, [path for path, _, _ in core.files(of) if not path.startswith("build/")]) for core, of in ours.resolve(cores, name, target)]
    other = theirs(name, target, flow)
    if not any(needed.startswith(ours.CONFIG) and needed != ours.ANY_CONFIG for needed in cores[name].depends(target)):
        mine, other = ([entry for entry in order if not entry[0].startswith(ours.CONFIG)] for order in (mine, other))  # FuseSoC takes any
    if dict(mine) != dict(other):
        return f"target {target}: ours {sorted(map(str, mine))}, FuseSoC's {sorted(map(str, other))}"
    for order in (mine, other):
        place = {core: n for n, (core, _) in enumerate(order)}
        for core, of in ours.resolve(cores, name, target):
            for needed in core.depends(of):
                if core.name in place and needed in place and place[needed] > place[core.name]:
                    return f"target {target}: {needed} comes behind {core.name}"
    return None


def forgotten(cores, name):
    """A package that the files of a core import, and that neither it nor what it needs has; the configuration's is its user's."""
    if not name.startswith("qsm:rtl:"):
        return None
    imported = set()
    for path, kind, _ in cores[name].files("default"):
        if kind == "systemVerilogSource":
            imported |= set(re.findall(r"\b(qsm_(?:\w+_)?pkg)::", (tree / path).read_text()))
    missing = imported - {pathlib.Path(path).stem for path in ours.sources(cores, name)} - {"qsm_cfg_pkg"}
    return f"needs {' '.join(sorted(missing))}, and does not say so" if missing else None


def main():
    cores = ours.read_cores()
    print(f"1..{len(cores)}")
    for n, (name, core) in enumerate(cores.items(), 1):
        targets = list(core.content.get("targets", {"default": {}}))
        found = [why for target in targets if (why := difference(cores, name, target))]
        found += [why for why in [forgotten(cores, name)] if why]
        print(f"{'not ok' if found else 'ok'} {n} - {name}: {' '.join(targets)} as FuseSoC has it")
        for why in found:
            print(f"# {why}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places for the block RAMs of each SM on an ECP5-85F, so that nextpnr puts the SMs apart (docs/fpga.md, Floorplan).

SMs are alike and have the same neighbours, so a placer that minimises squared distances finds one place for all of them, and mixes their logic where it
spreads it. An SM whose block RAMs have places is drawn there. Each gets a strip of the chip, the first at its left edge, the last at its right, a third between
them, and in it the RAMs lie to one another as in a placement of one SM alone, which fpga/ecp5/floorplan.txt keeps: the RAM's name in the SM, its column, its row.

ecp5_floorplan.py keep PLACED.json FILE       FILE from a placement of one SM (nextpnr --no-route --write)
ecp5_floorplan.py set NETLIST.json FILE OUT   OUT is NETLIST with an attribute BEL at the RAMs of its two or three SMs; with another number nothing is set
"""
import collections
import json
import pathlib
import re
import sys

from ecp5 import top_of

# Block RAMs of the LFE5U-85F as Project Trellis has them: groups of four in a row, and the rows.
GROUPS = (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)
ROWS = (22, 46, 70, 82)
COLUMNS = {first + 2 * index: f"EBR{index}" for first in GROUPS for index in range(4)}
STRIP = 17  # columns of block RAMs for an SM: a third of the chip, of which it fills three quarters
IN_SM = re.compile(r"(?:^|\.)g_sm\[(\d+)\]\.u_sm\.(.*)")
PLACE = re.compile(r"X(\d+)/Y(\d+)/")


def block_rams(path, design):
    """{SM: {name in it: cell}} of the block RAMs in SMs."""
    sms = collections.defaultdict(dict)
    for name, cell in top_of(path, design)["cells"].items():
        if cell["type"] == "DP16KD" and (match := IN_SM.search(name)):
            sms[int(match[1])][match[2]] = cell
    return sms


def keep(placed, target):
    sms = block_rams(placed, json.loads(pathlib.Path(placed).read_text()))
    if list(sms) != [0]:
        sys.exit(f"{placed}: block RAMs of {len(sms)} SMs, of one SM alone are wanted")
    lines = []
    for name, cell in sorted(sms[0].items()):
        match = PLACE.match(cell["attributes"].get("NEXTPNR_BEL", ""))
        if not match:
            sys.exit(f"{placed}: {name} has no place; nextpnr --no-route --write writes places")
        lines.append(f"{name} {match[1]} {match[2]}\n")
    pathlib.Path(target).write_text("".join(lines))


def read(source):
    places = {}
    for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1):
        match = re.fullmatch(r"(\S+) (\d+) (\d+)", line)
        if not match:
            sys.exit(f"{source}:{number}: a block RAM's name, column and row are wanted: {line}")
        places[match[1]] = int(match[2]), int(match[3])
    return places


def sites_of(names, places, columns):
    """{name: BEL}: as many to each column as to the next, from left to right and in a column from row to row in the order of the places that are kept."""
    middle = sorted(places.values())[len(places) // 2]  # of a RAM that is not kept
    kept = {name: places.get(name, middle) for name in names}
    by_column = sorted(names, key=lambda name: (kept[name], name))
    sites = {}
    for index, column in enumerate(columns):
        here = by_column[index * len(names) // len(columns):(index + 1) * len(names) // len(columns)]
        here.sort(key=lambda name: kept[name][1])
        free = list(ROWS)
        for number, name in enumerate(here):  # the nearest row that leaves one for each of the rest
            row = min(free[:len(free) - (len(here) - number - 1)], key=lambda row: abs(row - kept[name][1]))
            free = free[free.index(row) + 1:]
            sites[name] = f"X{column}/Y{row}/{COLUMNS[column]}"
    return sites


def constrain(netlist, source, target):
    """Writes netlist with places to target, and says how many block RAMs got one, and how many of them the file does not know."""
    design = json.loads(pathlib.Path(netlist).read_text())
    sms = block_rams(netlist, design)
    places = read(source)
    columns = sorted(COLUMNS)
    n_set = n_unknown = 0
    for sm, cells in sms.items() if len(sms) in (2, 3) else ():
        first = sm * (len(columns) - STRIP) // (len(sms) - 1)
        strip = columns[first:first + STRIP]
        if len(cells) > STRIP * len(ROWS):
            sys.exit(f"{netlist}: an SM of {len(cells)} block RAMs; its strip has {STRIP * len(ROWS)}")
        for name, site in sites_of(cells, places, strip).items():
            cells[name]["attributes"]["BEL"] = site
        n_set += len(cells)
        n_unknown += sum(name not in places for name in cells)
    pathlib.Path(target).write_text(json.dumps(design))
    return f"{n_set} block RAMs have places, {n_unknown} of them are not kept"


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "keep":
        keep(*sys.argv[2:])
    elif len(sys.argv) == 5 and sys.argv[1] == "set":
        print(constrain(*sys.argv[2:]))
    else:
        sys.exit(__doc__)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sweeps of `make experiment-guarantee` into FOLDER: guarantee.yaml and guarantee_offline.yaml of this folder with the cases of hostile.toml behind
them; those of the papers' cases, guarantee_fgq.yaml and its like, as they are; and guarantee/neighbours.md, the table of the hostile set. A part of the cases:
each neighbour beside one victim per configuration, in turn, with a goal of 50 %; --full: beside all victims, with goals of 50 and 80 %, and all schemes. Of the
papers' cases those whose line does not end in "# full", or in "# part". --victims and --neighbours choose others of the hostile set."""

import argparse
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
CONFIGS = ["demo", "demo+l1_kib-4+l2_kib-16+dram_banks-8"]
VICTIMS = {"matmul": "compute", "lud": "divisions", "pathfinder": "shared memory", "bfs": "latency of memory", "vadd": "bandwidth", "gaussian": "short launches"}
# Which neighbours the offline best is searched for: one of each kind of hold.
OFFLINE = ["add", "divide", "bank_conflicts", "read_scattered", "write_one_channel", "divide_late", "end_at_once", "mixture"]
PAPERS = ["fgq", "trios", "smqos", "qaws", "goals"]  # guarantee_NAME.yaml
WORDS = 1 << 16  # of a neighbour's buffer
KEYS = {"name": str, "holds": str, "unit": str, "kernel": str, "file": str, "how": (int, str), "block": str, "shared": str, "blocks": int, "dies": bool,
        "arrival": int, "late": int, "also": str}
NEEDED = ["name", "holds", "unit", "kernel"]


class Wrong(Exception):
    """A file or an option that is not as it should be."""


# ---- What there is ----


def configuration(name):
    """Numbers of a configuration, as configs/NAME.yaml and what is behind the + say."""
    base, *changes = name.split("+")
    path = HERE.parent / "configs" / f"{base}.yaml"
    try:
        numbers = {key: int(value) for key, value in re.findall(r"^(\w+): (\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)}
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from error
    return numbers | {change.rsplit("-", 1)[0]: int(change.rsplit("-", 1)[1]) for change in changes}


def kernels_of(file):
    """Names of the kernels in a file of kernels."""
    return set(re.findall(r"^(?:ATTACK|NEIGHBOUR)\((\w+)\)", (HERE / f"{file}_kernels.c").read_text(encoding="utf-8"), re.MULTILINE))


def check(path, neighbours):
    """Whether each neighbour has what it needs, and nothing else."""
    kernels = {file: kernels_of(file) for file in ("attack", "hostile")}
    names = [neighbour.get("name") for neighbour in neighbours]
    for number, neighbour in enumerate(neighbours, 1):
        place = f"{path}: neighbour {number} ({neighbour.get('name', 'without a name')})"
        if missing := [key for key in NEEDED if key not in neighbour]:
            raise Wrong(f"{place}: no {', '.join(missing)}")
        for key, value in neighbour.items():
            if key not in KEYS:
                raise Wrong(f"{place}: unknown key {key}")
            if not isinstance(value, KEYS[key]) or (KEYS[key] is int and isinstance(value, bool)):
                raise Wrong(f"{place}: {key}: {value!r} is of the wrong kind")
        if names.count(neighbour["name"]) > 1:
            raise Wrong(f"{place}: the name is there twice")
        file = neighbour.get("file", "attack")
        if file not in kernels or neighbour["kernel"] not in kernels[file]:
            raise Wrong(f"{place}: no kernel {neighbour['kernel']} in {file}_kernels.c")
        if neighbour.get("block", "warp") not in ("warp", "sm"):
            raise Wrong(f"{place}: block: {neighbour['block']}: must be warp or sm")
        if not re.fullmatch(r"all|\d+", neighbour.get("shared", "0")):
            raise Wrong(f"{place}: shared: {neighbour['shared']}: must be all or a number of bytes")
        if isinstance(neighbour.get("how", 0), str) and neighbour["how"] != "epoch":
            raise Wrong(f"{place}: how: {neighbour['how']}: must be epoch or a number")
        if neighbour.get("also", neighbour["name"]) not in names:
            raise Wrong(f"{place}: also: no neighbour {neighbour['also']}")
        if "late" in neighbour and "arrival" in neighbour:
            raise Wrong(f"{place}: arrival and late: one of them")


def load(path):
    """The hostile set."""
    try:
        neighbours = tomllib.loads(path.read_text(encoding="utf-8")).get("neighbour", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Wrong(f"{path}: {error}") from error
    if not neighbours:
        raise Wrong(f"{path}: no neighbours")
    check(path, neighbours)
    return {neighbour["name"]: neighbour for neighbour in neighbours}


def chosen(text, there, what):
    """Of a list of names the entries that there are."""
    names = text.split(",") if text else list(there)
    if unknown := [name for name in names if name not in there]:
        raise Wrong(f"--{what} {text}: no {', '.join(unknown)}; there are {', '.join(there)}")
    return names


# ---- The sweeps ----


def tenant(neighbour, config, arrival):
    """A neighbour as a kernel of a scenario."""
    threads = config["warps_per_sm"] * config["warp_size"] if neighbour.get("block") == "sm" else config["warp_size"]
    shared = neighbour.get("shared", "0")
    how = config["epoch"] if neighbour.get("how") == "epoch" else neighbour.get("how", 0)
    keys = {"name": neighbour["name"], "elf": f"../{neighbour.get('file', 'attack')}_kernels.elf", "symbol": neighbour["kernel"],
            "grid": f"[{neighbour.get('blocks', 65535)}]", "block": f"[{threads}]", "args": f"[buffer {4 * WORDS}, {WORDS}, {how}]",
            "save_images": config["num_images"]}
    if shared != "0":
        keys["shared"] = config["shared_bytes"] if shared == "all" else shared
    if neighbour.get("dies"):
        keys["relaunch"] = "yes"
    if arrival is not None:
        keys["arrival"] = arrival
    return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"


def case(neighbours, name, victim, configs):
    """A victim beside a neighbour, and beside the one that it has with it. Several configurations are a list, whose shapes of blocks are the same."""
    config, neighbour = configuration(configs[0]), neighbours[name]
    times = (neighbour["late"], 0) if "late" in neighbour else (0, neighbour["arrival"]) if "arrival" in neighbour else (None, None)
    if "also" in neighbour and times[0] is not None:
        raise Wrong(f"{name}: also: not beside arrival or late")
    first = f"{{program: {victim}, save_images: {config['num_images']}{'' if times[0] is None else f', arrival: {times[0]}'}}}"
    others = [tenant(neighbour, config, times[1])] + ([tenant(neighbours[neighbour["also"]], config, None)] if "also" in neighbour else [])
    machines = configs[0] if len(configs) == 1 else f"[{', '.join(configs)}]"
    return f"  - {{config: {machines}, kernels: [{', '.join([first, *others])}]}}\n"


def base(name, full):
    """A sweep without its cases, the lines of this size."""
    lines = (HERE / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    other = "# part" if full else "# full"
    return "\n".join(line for line in lines if not line.endswith(other)) + "\n"


def cases(neighbours, names, victims, full, only):
    """Text of the cases of some of the names: each neighbour beside all victims, or beside one per configuration, in turn."""
    if full:
        picked = ((name, victim, CONFIGS) for name in names for victim in victims)
    else:
        picked = ((name, victims[(i + c) % len(victims)], [config]) for i, name in enumerate(names) for c, config in enumerate(CONFIGS))
    return "cases:\n" + "".join(case(neighbours, *which) for which in picked if which[0] in only)


def set_table(neighbours):
    """The hostile set as a table."""
    rows = [f"| {n['name']} | {n['unit']} | {n['holds']}{', and ' + n['also'] if 'also' in n else ''} |" for n in neighbours.values()]
    return "\n".join(["| neighbour | of | what it holds |", "| --- | --- | --- |", *rows]) + "\n"


def write(options):
    neighbours = load(options.set)
    names, victims = chosen(options.neighbours, neighbours, "neighbours"), chosen(options.victims, VICTIMS, "victims")
    files = {"guarantee.yaml": base("guarantee", options.full) + cases(neighbours, names, victims, options.full or options.victims, names),
             "guarantee/neighbours.md": set_table(neighbours)}
    if offline := [name for name in OFFLINE if name in names]:
        files["guarantee_offline.yaml"] = base("guarantee_offline", options.full) + cases(neighbours, names, victims, options.full or options.victims, offline)
    files |= {f"guarantee_{paper}.yaml": base(f"guarantee_{paper}", options.full) for paper in PAPERS}
    try:
        (options.folder / "guarantee").mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (options.folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Wrong(f"{error.filename}: {error.strerror}") from error
    print(f"{len(names)} neighbours of {len(neighbours)}, {len(victims)} victims, written to {options.folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--full", action="store_true", help="all victims, goals, schemes and papers' cases")
    parser.add_argument("--victims", metavar="NAME,...", help=f"of {', '.join(VICTIMS)}: each neighbour beside all of these")
    parser.add_argument("--neighbours", metavar="NAME,...", help="of hostile.toml")
    parser.add_argument("--set", type=pathlib.Path, default=HERE / "hostile.toml", help="another hostile set")
    try:
        write(parser.parse_args())
    except Wrong as error:
        sys.exit(f"guarantee: {error}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists of files from the manifests (*.core, CAPI2, which FuseSoC reads too): each block says which blocks it needs, and which files it has.

  cores.py lists FOLDER    writes FOLDER/cores.mk (variables of make), FOLDER/core/NAME.f (the RTL of a block and of what it needs, with included files) and
                           FOLDER/unit/BENCH/TARGET.f (Verilator's arguments of a unit bench); files that stay as they are keep their age
  cores.py files VLNV [TARGET]   the files of one core, each behind what it needs
  cores.py bender          Bender.yml: the same blocks for Bender

Of CAPI2 it knows what the manifests use: file sets, dependencies, virtual cores, targets with parameters, generated configurations.
"""
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["rtl", "configs", "tb/unit"]
CONFIG, ANY_CONFIG = "qsm:cfg:", "qsm:cfg:any"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Core:
    def __init__(self, path):
        text = path.read_text()
        if not text.startswith("CAPI=2:\n"):
            sys.exit(f"{path}: begins with another line than CAPI=2:")
        self.path, self.content = path, yaml.load(text, LOADER)
        self.folder = path.parent
        self.name = self.content["name"]

    def target(self, name):
        targets = self.content.get("targets", {"default": {}})
        if name not in targets:
            sys.exit(f"{self.path}: no target '{name}'")
        return targets[name]

    def filesets(self, target):
        return [self.content["filesets"][name] for name in self.target(target).get("filesets", [])]

    def depends(self, target):
        return [name for fileset in self.filesets(target) for name in fileset.get("depend", [])]

    def files(self, target):
        """[(path from the root, type, whether it is only included)]"""
        found = []
        for fileset in self.filesets(target):
            for entry in fileset.get("files", []):
                name, options = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
                path = pathlib.Path(self.folder / name).resolve().relative_to(ROOT)
                if not (ROOT / path).exists():
                    sys.exit(f"{self.path}: no file {path}")
                found.append((str(path), options.get("file_type", fileset.get("file_type")), options.get("is_include_file", False)))
        for generated in self.target(target).get("generate", []):
            config = self.content["generate"][generated]["parameters"]["config"]
            found.append((f"build/cfg/{config}/qsm_cfg_pkg.sv", "systemVerilogSource", False))
        return found


def read_cores():
    cores = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.core")):
        core = Core(path)
        if core.name in cores:
            sys.exit(f"{path}: {cores[core.name].path} has this name too")
        cores[core.name] = core
    return cores


def resolve(cores, name, target="default"):
    """The cores that one needs and itself, each behind what it needs. A configuration that the target names stands for the virtual one."""
    chosen = [other for other in cores[name].depends(target) if other.startswith(CONFIG) and other != ANY_CONFIG]
    order, open_cores = [], []

    def visit(name, target="default"):
        if name == ANY_CONFIG:
            if not chosen:  # of a block by itself: whoever uses it chooses
                return
            name = chosen[0]
        if name in open_cores:
            sys.exit(f"{cores[name].path}: needs itself: {' '.join(open_cores)}")
        if name not in cores:
            sys.exit(f"{cores[open_cores[-1]].path}: no core {name}")
        if any(name == core.name for core, _ in order):
            return
        open_cores.append(name)
        for other in cores[name].depends(target):
            visit(other)
        open_cores.pop()
        order.append((cores[name], target))

    visit(name, target)
    return order


def files(cores, name, target="default"):
    return [file for core, of in resolve(cores, name, target) for file in core.files(of)]


def sources(cores, name, target="default"):
    """Verilator's waivers and settings, then SystemVerilog."""
    found = files(cores, name, target)
    return [path for kind in ("vlt", "systemVerilogSource") for path, of, included in found if of == kind and not included]


def headers(cores, name, target="default"):
    """SystemVerilog that is only included."""
    return [path for path, of, included in files(cores, name, target) if of == "systemVerilogSource" and included]


def include_folders(paths):
    """Arguments with which tools find these files."""
    return [f"+incdir+{folder}" for folder in sorted({str(pathlib.Path(path).parent) for path in paths})]


def write_if_new(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def bench_arguments(cores, core, target):
    """What Verilator gets for a target of a unit bench, an argument or file per line."""
    settings, kinds = core.target(target), core.content.get("parameters", {})
    lines = [f"--top-module {settings['toplevel']}", *settings["flow_options"]["verilator_options"]]
    for parameter in settings.get("parameters", []):
        name, value = parameter.split("=")
        lines.append({"vlogparam": "-G", "vlogdefine": "-D"}[kinds[name]["paramtype"]] + f"{name}={value}")
    return lines + include_folders(headers(cores, core.name, target)) + sources(cores, core.name, target)


def write_lists(cores, folder):
    rtl, included = sources(cores, "qsm:rtl:gpu_axi"), headers(cores, "qsm:rtl:gpu_axi")
    forgotten = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rtl").rglob("*.sv*") if str(path.relative_to(ROOT)) not in rtl + included)
    if forgotten:
        sys.exit(f"qsm:rtl:gpu_axi does not need {' '.join(forgotten)}: name them in a .core file beside them")
    make = [f"RTL_SRCS := {' '.join(rtl)}", f"RTL_HEADERS := {' '.join(included)}", f"RTL_INCLUDE := {' '.join(include_folders(included))}"]
    wanted = set()

    def write(name, lines):
        write_if_new(folder / name, "\n".join(lines) + "\n")
        wanted.add(folder / name)

    benches = []
    for core in cores.values():
        if core.name.startswith("qsm:rtl:"):
            write(f"core/{core.name.split(':')[-1]}.f", headers(cores, core.name) + sources(cores, core.name))
        if not core.name.startswith("qsm:tb:"):
            continue
        for target in core.content["targets"]:
            if target == "default":
                continue
            bench = f"{core.folder.name}/{target}"
            benches.append(bench)
            write(f"unit/{bench}.f", bench_arguments(cores, core, target))
            long = "OPT_FAST=-O1" in core.target(target)["flow_options"].get("make_options", [])
            found = files(cores, core.name, target)
            make += [f"UNIT_KIND_{bench} := {'long' if long else 'quick'}", f"UNIT_TOP_{bench} := {core.target(target)['toplevel']}",
                     f"UNIT_CXX_{bench} := {' '.join(path for path, kind, included in found if kind == 'cppSource' and not included)}",
                     f"UNIT_FILES_{bench} := {' '.join(path for path, kind, _ in found if kind != 'user')}"]
    for path in folder.rglob("*.f"):
        if path not in wanted:
            path.unlink()
    (folder / "cores.mk").write_text("\n".join([*make, f"UNIT_NAMES := {' '.join(benches)}"]) + "\n")


def bender(cores):
    print("""# SPDX-License-Identifier: Apache-2.0
# The blocks of the GPU for Bender, from the .core files beside them (scripts/cores.py bender); a package of yours brings qsm_cfg_pkg,
# which `make package CONFIG=tiny` writes to build/cfg/tiny/qsm_cfg_pkg.sv.
package:
  name: qsm
sources:""")
    for core, target in resolve(cores, "qsm:rtl:gpu_axi"):
        found = [(path, included) for path, kind, included in core.files(target) if kind == "systemVerilogSource"]
        folders = sorted({str(pathlib.Path(path).parent) for path, included in found if included})
        if not all(included for _, included in found):  # nor of headers alone
            settings = ["files:"] if not folders else [f"include_dirs: [{', '.join(folders)}]", "files:"]
            print(f"  # {core.name.split(':')[-1]}\n  - " + "\n    ".join(settings + [f"  - {path}" for path, included in found if not included]))


def main():
    command, *arguments = sys.argv[1:] or ["help"]
    if command == "lists":
        write_lists(read_cores(), pathlib.Path(arguments[0]).resolve())
    elif command == "files":
        print("\n".join(path for path, _, _ in files(read_cores(), *arguments)))
    elif command == "bender":
        bender(read_cores())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What area.py and fpga.py do with Yosys for an ECP5."""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# What Yosys gives to abc for -lut 4, before the mapping; then four times what maps, each time from the LUTs that there are.
OPTIMISE = ("strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2")
MAP_LUTS = ("strash", "dch -f", "if", "mfs2", "lutpack -S 1")
LUTS_SCRIPT = "+" + ";".join(command.replace(" ", ",") for command in (*OPTIMISE, "dretime", *4 * MAP_LUTS))


# What synth_lattice of pyosys 0.70 does for an ECP5 between its labels coarse and map_ram, without `share`: that makes one cell of two that are never needed at once, with
# multiplexers in front of it and what proves it, from far away, in their selects. There are multipliers enough, and paths must be short.
DSP_WIDTHS = " ".join(f"-D DSP_{operand}_{bound}WIDTH={bits}" for bound, bits in (("MAX", 18), ("MIN", 2)) for operand in "AB")
COARSE = ("proc -latches error", "check", "flatten", "tribuf -logic", "deminout", "opt_expr", "check", "opt_clean", "opt -nodffe -nosdff", "fsm", "opt", "wreduce",
          "peepopt", "opt_clean", "techmap -map +/cmp2lut.v -D LUT_WIDTH=4", "opt_expr", "opt_clean",
          f"techmap -map +/mul2dsp.v {DSP_WIDTHS} -D DSP_NAME=$__MUL18X18", "techmap -map +/lattice/dsp_map_18x18.v", "alumacc", "opt", "memory -nomap", "opt_clean")


def mapping(top, options, last, luts="4", mux4=False, abc9=False, abc=""):
    """Commands that map a design which has been read, up to the label `last` of synth_lattice. For area: `abc` in the place of its `abc9`,
    which buys delay with a tenth more LUTs. A comparison is one carry chain (compare_map.v), a rotation of 16 bytes is done by multipliers
    (rotate_map.v). `abc`: more options of that pass."""
    script = f"synth_lattice -family ecp5 -top {top} {options} -run"
    first = [f"{script} begin:coarse", f"techmap -map {FOLDER / 'compare_map.v'} -map {FOLDER / 'rotate_map.v'}", *COARSE]
    if abc9:
        return [*first, f"{script} map_ram:{last}"]
    # abc finds no multiplexer of four in two LUTs; what is given to it stays as it is, so paths get longer.
    multiplexers = ["muxcover -mux4=220 -nodecode", f"techmap -map {FOLDER / 'mux4.v'}"] if mux4 else []
    script_of_luts = f"-script {LUTS_SCRIPT}" if luts == "4" and not abc else ""
    return [*first, f"{script} map_ram:map_luts", "techmap -map +/lattice/latches_map.v", *multiplexers, f"abc -lut {luts} {abc or script_of_luts}".rstrip(), "clean", f"{script} map_cells:{last}"]


def top_of(path, design):
    """The module of a netlist in Yosys' JSON, which nextpnr writes, too."""
    tops = [module for module in design["modules"].values() if int(module.get("attributes", {}).get("top", "0"), 2)]
    if len(tops) != 1:
        sys.exit(f"{path}: a netlist of `fpga.py synth` has one top module, this one has {len(tops)}")
    return tops[0]

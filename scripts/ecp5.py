# SPDX-License-Identifier: Apache-2.0
"""What area.py and fpga.py do with Yosys for an ECP5."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent


def mapping(top, options, last, luts="4", mux4=False, abc9=False, abc=""):
    """Commands that map a design which has been read, up to the label `last` of synth_lattice. For area: `abc` in the place of its `abc9`,
    which buys delay with a tenth more LUTs. A comparison is one carry chain (compare_map.v), a rotation of 16 bytes is done by multipliers
    (rotate_map.v). `abc`: more options of that pass."""
    script = f"synth_lattice -family ecp5 -top {top} {options} -run"
    first = [f"{script} begin:coarse", f"techmap -map {FOLDER / 'compare_map.v'} -map {FOLDER / 'rotate_map.v'}"]
    if abc9:
        return [*first, f"{script} coarse:{last}"]
    # abc finds no multiplexer of four in two LUTs; what is given to it stays as it is, so paths get longer.
    multiplexers = ["muxcover -mux4=220 -nodecode", f"techmap -map {FOLDER / 'mux4.v'}"] if mux4 else []
    return [*first, f"{script} coarse:map_luts", "techmap -map +/lattice/latches_map.v", *multiplexers, f"abc -lut {luts} {abc}".rstrip(), "clean", f"{script} map_cells:{last}"]

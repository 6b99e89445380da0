#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the faults of faults.txt, one at a time, in copies of the host link, and runs its bench: faults.py FOLDER [WORD | --first N]

The bench must build and fail; unchanged it must pass. TAP.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = ROOT / "build/lists/unit/link/bytes.f"


def read_faults():
    for line in (HERE / "faults.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            parts = line.replace("\\|", "\0").split(" | ")
            yield [part.replace("\0", "|").replace("\\n", "\n") for part in parts]


def run(work, name, text):
    """Exit code of the bench with this text in place of a file's; None where it does not build."""
    work.mkdir(parents=True, exist_ok=True)
    arguments = LIST.read_text()
    if name:
        (work / name).write_text(text)
        arguments = arguments.replace(f"fpga/link/{name}", str(work / name))
    (work / "list.f").write_text(arguments)
    subprocess.run([ROOT / "tb/unit/common/parameters.py", work / "list.f", work], check=True, cwd=ROOT)
    build = subprocess.run(["verilator", "--cc", "--exe", "--build", "-Mdir", work, "-o", "run", "-MAKEFLAGS", "CXX=clang++-19 LINK=clang++-19 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
                            "-f", work / "list.f", ROOT / "tb/unit/link/test_link.cpp"], cwd=ROOT, capture_output=True, text=True)
    if build.returncode:
        print("\n".join("# " + line for line in (build.stdout + build.stderr).splitlines()[-5:]))
        return None
    try:
        return subprocess.run([work / "run"], capture_output=True, timeout=300).returncode
    except subprocess.TimeoutExpired:
        return "too long"


def main():
    work, *choice = sys.argv[1:]
    work = pathlib.Path(work)
    faults = list(read_faults())
    if choice[:1] == ["--first"]:
        faults = faults[:int(choice[1])]
    elif choice:
        faults = [fault for fault in faults if choice[0] in fault[3]]
    print("ok 1 - the bench passes without a fault" if run(work / "0", None, None) == 0 else "not ok 1 - the bench passes without a fault")
    for n, (name, old, new, what) in enumerate(faults, 2):
        text = (ROOT / "fpga/link" / name).read_text()
        if text.count(old) != 1:
            print(f"not ok {n} - {what}\n# '{old}' stands {text.count(old)} times in {name}")
            continue
        code = run(work / str(n), name, text.replace(old, new))
        print(f"{'not ok' if code in (0, None) else 'ok'} {n} - seen: {what}")
        sys.stdout.flush()
    print(f"1..{len(faults) + 1}")


if __name__ == "__main__":
    main()

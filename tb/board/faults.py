#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the faults of a list, one at a time, in copies of what a unit bench checks, and runs the bench: faults.py FOLDER LIST.txt [WORD | --first N]

The list's first line that is no comment names the bench, NAME/TARGET of tb/unit, and the folder of the files. The bench must build and fail; unchanged it must pass.
TAP.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def read_faults(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    faults = []
    for line in lines[1:]:
        parts = line.replace("\\|", "\0").split(" | ")
        faults.append([part.replace("\0", "|").replace("\\n", "\n") for part in parts])
    return lines[0].split(), faults


def run(work, bench, name, text):
    """Exit code of the bench with this text in place of a file's; None where it does not build."""
    work.mkdir(parents=True, exist_ok=True)
    (bench_name, target), folder = bench[0].split("/"), bench[1]
    arguments = (ROOT / f"build/lists/unit/{bench_name}/{target}.f").read_text()
    if name:
        changed = work / pathlib.Path(name).name
        changed.write_text(text)
        arguments = arguments.replace(f"{folder}/{name}", str(changed))
    (work / "list.f").write_text(arguments)
    subprocess.run([ROOT / "tb/unit/common/parameters.py", work / "list.f", work], check=True, cwd=ROOT)
    build = subprocess.run(["verilator", "--cc", "--exe", "--build", "-Mdir", work, "-o", "run", "-MAKEFLAGS", "CXX=clang++-19 LINK=clang++-19 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
                            "-f", work / "list.f", ROOT / f"tb/unit/{bench_name}/test_{bench_name}.cpp"], cwd=ROOT, capture_output=True, text=True)
    if build.returncode:
        print("\n".join("# " + line for line in (build.stdout + build.stderr).splitlines()[-5:]))
        return None
    try:
        return subprocess.run([work / "run"], capture_output=True, timeout=300).returncode
    except subprocess.TimeoutExpired:
        return "too long"


def main():
    work, path, *choice = sys.argv[1:]
    work = pathlib.Path(work)
    bench, faults = read_faults(pathlib.Path(path))
    if choice[:1] == ["--first"]:
        faults = faults[:int(choice[1])]
    elif choice:
        faults = [fault for fault in faults if choice[0] in fault[3]]
    print("ok 1 - the bench passes without a fault" if run(work / "0", bench, None, None) == 0 else "not ok 1 - the bench passes without a fault")
    for n, (name, old, new, what) in enumerate(faults, 2):
        text = (ROOT / bench[1] / name).read_text()
        if text.count(old) != 1:
            print(f"not ok {n} - {what}\n# '{old}' stands {text.count(old)} times in {name}")
            continue
        code = run(work / str(n), bench, name, text.replace(old, new))
        print(f"{'not ok' if code in (0, None) else 'ok'} {n} - seen: {what}")
        sys.stdout.flush()
    print(f"1..{len(faults) + 1}")


if __name__ == "__main__":
    main()

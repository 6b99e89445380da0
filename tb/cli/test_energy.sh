#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Energy and the use of the SMs, as a run shows them (energy.md R-EN-3, R-EN-4; traces.md R-TR-4): result.json, table, plot and
# timeline of one run of whole SMs say the same.
. "$(dirname "$0")/sweep.sh"
file=$work/s.yaml out=$work/out
scenario "$file" 'config: demo' 'cycles: 60000' 'epoch: 2000' 'size: S' 'scheme: sm_static' 'sm_gating: on' 'wake_latency: 100' \
  'kernels: [{program: vadd, sm_count: 1}, {program: pc, sm_count: 2}]'
call "$qsm" run --out "$out" --timeline "$work/t.json" "$file"
verdict 'a run of whole SMs' "$code $(grep '^qsm: ' "$work/stderr")" '0 '
verdict 'energy in the table' "$(grep -cE '^  sm_static +[0-9.e-]+ mJ, [0-9.e-]+ W: vadd [0-9.]+ %, pc [0-9.]+ %, nobody [0-9.]+ %$' "$work/stdout")" 1
verdict 'whose energies' "$(grep -c 'energies of configuration demo (docs/energy.md)' "$work/stdout")" 1

# check WHAT: a line of Python over the files of the run, which must hold.
cat >"$work/seen.py" <<'PY'
import json, re, sys
out, timeline, svg = sys.argv[1:4]
result = json.load(open(out))
events = json.load(open(timeline))["traceEvents"]
config = dict(re.findall(r"^(\w+): +(\w+)", open("configs/demo.yaml").read(), re.M))
of = {key[7:]: int(value) * 1e-15 for key, value in config.items() if key.startswith("energy_") and key != "energy_gated_permille"}
kernels = {kernel["name"]: kernel for kernel in result["kernels"]}
lanes = ("alu", "mul", "div", "fma", "mem")
on = of["sm_clock"] + of["sm_leakage"]
def close(a, b): return abs(a - b) <= 1e-9 * abs(b)
def joules(kernel):  # R-EN-4 by hand; demo has neither L1 nor L2 nor a memory controller
    names = {"issues": "issue", "reg_reads": "reg_read", "reg_writes": "reg_write"}
    seen = kernel["energy_events"]
    return sum(seen[event] * of[names.get(event, event)] for event in (*lanes, "issues", "reg_reads", "reg_writes", "shared")) + seen["sm_cycles"] * on
def power(name): return [event for event in events if event["ph"] == "C" and event["name"] == "power of " + name]
seconds = result["cycles"] / (int(config["clock_mhz"]) * 1e6)
rows = {sm: [event for event in events if event["ph"] == "X" and event["pid"] == 2 + sm and event["tid"] == 102] for sm in range(4)}
def use_at(sm, cycle): return next(e["name"] for e in rows[sm] if e["ts"] <= cycle < e["ts"] + e["dur"])
ends = [event["ts"] + 2000 for event in power("pc")]
def fills(colour): return len(re.findall(r"polygon fill = '" + re.escape(colour), open(svg).read()))
def shown(name): return sum(epoch["sms"].count(name) for epoch in result["epochs"])
checks = {
    "lanes are thread instructions": lambda: all(sum(k["energy_events"][c] for c in lanes) == k["thread_instructions"] > 0 for k in kernels.values()),
    "joules of kernels": lambda: all(close(joules(k), k["energy_j"]) for k in kernels.values()),
    "power": lambda: close(result["power_w"], result["energy_j"] / seconds),
    "nobody's part": lambda: 0 < result["energy_j"] - sum(k["energy_j"] for k in kernels.values()) < 0.1 * result["energy_j"],
    "SMs in the mean": lambda: 0.95 < kernels["vadd"]["sms_mean"] <= 1 and 1.9 < kernels["pc"]["sms_mean"] <= 2,
    "power per epoch comes to the energy": lambda: len(ends) == 30 and all(
        close(sum(event["args"]["value"] for event in power(name)) / 30 * seconds, energy)
        for name, energy in (("vadd", kernels["vadd"]["energy_j"]), ("pc", kernels["pc"]["energy_j"]), ("all SMs", result["energy_j"]))),
    "rows without gaps": lambda: all(row[0]["ts"] == 0 and all(a["ts"] + a["dur"] == b["ts"] for a, b in zip(row, row[1:])) for row in rows.values()),
    "uses of the timeline": lambda: [[event["name"] for event in row if not event["args"]] for row in rows.values()]
        == [["shared", "vadd"], ["shared", "pc"], ["shared", "pc"], ["shared", "free", "free", "gated"]],
    "moves of the timeline": lambda: [event["args"].get("moves_to") for row in rows.values() for event in row if event["args"]] == ["vadd", "pc", "pc", "free"],
    "epochs say what the timeline says": lambda: [epoch["sms"] for epoch in result["epochs"]] == [[use_at(sm, end) for sm in range(4)] for end in ends],
    "gated for most of the run": lambda: shown("gated") == 29,
    "the strip of the plot": lambda: "who has which SM" in open(svg).read()
        and [fills("rgb(148,   0, 211)"), fills("rgb(  0, 158, 115)"), fills("rgb(127, 127, 127)"), fills("rgb(229, 229, 229)")]
        == [shown(name) + 1 for name in ("vadd", "pc", "gated", "free")],  # and one of the key
}
for name, check in checks.items():
    print(name, "yes" if check() else "NO")
PY
while read -r line; do
  verdict "${line% *}" "${line##* }" yes
done < <(python3 "$work/seen.py" "$out/result.json" "$work/t.json" "$out/plot.svg" 2>&1)
verdict 'as many checks' "$(python3 "$work/seen.py" "$out/result.json" "$work/t.json" "$out/plot.svg" | wc -l)" 12

# Of shared SMs: no strip, no mean number of SMs; an SM that nobody uses is nobody's.
scenario "$file" 'config: demo' 'cycles: 40000' 'size: S' 'kernels: [{program: vadd, launches: repeat}]'
call "$qsm" run --quiet --out "$out" "$file"
verdict 'shared SMs' "$code $(grep -c sms_mean "$out/result.json") $(grep -c 'who has which SM' "$out/plot.svg") $(grep -c '"energy_j"' "$out/result.json")" '0 0 0 2'

# Where the GPU does not count.
sed 's/^energy_counters: 1/energy_counters: 0/' configs/demo.yaml >"$work/silent.yaml"
call "$qsm" run --out "$out" --config "$work/silent.yaml" --timeline "$work/t.json" "$file"
verdict 'without counters' "$code $(grep -c '"energy_j":[[:space:]]*null' "$out/result.json") $(grep -c '[0-9] mJ' "$work/stdout") $(grep -c 'power of' "$work/t.json")" '0 2 0 0'

# Sweeps.
scenario "$work/sweep.yaml" 'config: tiny' 'size: S' 'cycles: 20000' 'scheme: [none, rollover]' 'kernels: [{program: [vadd, pc], goal: 50%}]'
call "$qsm" sweep --quiet --db "$work/s.db" "$work/sweep.yaml"
verdict 'a sweep' "$code" 0
verdict 'its energies' "$(python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT r.energy_j, r.power_w, r.cycles, k.energy_j, k.instructions, insn_per_j, sms_mean FROM runs r JOIN kernels k ON k.run = r.id JOIN energy e ON e.run = r.id").fetchall()
print(len(rows), all(k < r and abs(p - r / (c / 75e6)) < 1e-9 * p and abs(n - i / r) < 1e-9 * n and s is None for r, p, c, k, i, n, s in rows))' "$work/s.db")" '4 True'
sums="SELECT count(DISTINCT s.run), sum(s.instructions) FROM sms s"
verdict 'kernels and SMs of a sweep have the same instructions' "$(query "$work/s.db" "$sums")" "$(query "$work/s.db" 'SELECT count(DISTINCT run), sum(instructions) FROM kernels')"
sed 's/^scheme: .*/scheme: smqos/; s/^kernels: .*/kernels: [{program: pc, goal: 50%}, {program: vadd}]/; s/^config: tiny/config: demo/; s/^cycles: .*/cycles: 60000\nepoch: 2000/' "$work/sweep.yaml" >"$work/whole.yaml"
call "$qsm" sweep --quiet --db "$work/whole.db" "$work/whole.yaml"
call "$qsm" run --quiet --out "$work/whole" "$work/whole.yaml"
verdict 'whole SMs of a sweep are those of a run' "$(query "$work/whole.db" 'SELECT sms, gated, opt FROM sm_epochs ORDER BY cycle, slot')" "$(python3 -c '
import json, sys
for epoch in json.load(open(sys.argv[1]))["epochs"]:
    for name, opt in zip(["pc", "vadd"], epoch["opt"]):
        print(epoch["sms"].count(name), epoch["sms"].count("gated"), opt)' "$work/whole/result.json")"
verdict 'of every epoch' "$(query "$work/whole.db" 'SELECT count(*), max(sms) BETWEEN 2 AND 4, sum(opt > 0) > 0 FROM sm_epochs')" '60 1 1'
call "$qsm" report --csv --table energy "$work/s.db"
verdict 'table energy' "$code $(sed -n 1p "$work/stdout") $(wc -l <"$work/stdout")" '0 variant,mJ,W,M insn per J 3'
call "$qsm" report --csv --table energy_programs "$work/s.db"
verdict 'table energy_programs' "$code $(cut -d , -f 1 "$work/stdout" | paste -sd ' ')" '0 programs vadd pc'
finish

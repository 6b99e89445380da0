# SPDX-License-Identifier: Apache-2.0
"""What an ECP5's slices can do that neither abc nor Yosys uses, in a mapped netlist (docs/fpga.md, "Packing").

A carry cell has four inputs per bit, of which Yosys' adders use two: a LUT in front of an operand, which serves nothing else, becomes a part of
the carry cell, and so does a multiplexer behind a whole sum. A flip-flop has a reset input, which the chip's global reset leaves free: a control
that clears many of them needs no LUT at each. A slice has a multiplexer behind its two LUTs (PFUMX): three and more LUTs of which only one output
is used become two with it, where their function is of that kind. No path gets longer, in levels, than the longest of the netlist.
"""
import collections
import functools
import itertools
import typing

CONSTANTS = ("0", "1", "x", "z")
PINS = "ABCD"
HALF_PINS = tuple(f"{pin}{half}" for pin in PINS for half in "01")  # of a carry cell, without its carry input
LUT_LEVEL, MUX_LEVEL = 1, 1  # from an input to the output
MAX_INPUTS = 9  # of a function that two LUTs and the multiplexer do
MAX_LUTS = 6  # that it takes before
MAX_CONES = 60  # looked at per LUT


# ---- Functions of n inputs: a table of 2^n bits as an integer; input j of bit i is bit j of i ----

@functools.lru_cache(maxsize=None)
def variable(at, n_inputs):
    """The table of input `at`."""
    table = ((1 << (1 << at)) - 1) << (1 << at)
    period = 2 << at
    while period < 1 << n_inputs:
        table |= table << period
        period *= 2
    return table


@functools.lru_cache(maxsize=None)
def full(n_inputs):
    """The table of 1."""
    return (1 << (1 << n_inputs)) - 1


def compose(table, operands, ones):
    """The function `table` of operands, which are tables themselves; `ones` is the table of 1."""
    if not operands:
        return ones if table & 1 else 0
    half = 1 << (len(operands) - 1)
    low, high = table & ((1 << half) - 1), table >> half
    zero = compose(low, operands[:-1], ones)
    if low == high:
        return zero
    return (zero & ~operands[-1]) | (compose(high, operands[:-1], ones) & operands[-1])


def changes(table, n_inputs):
    """Per input: the rows with 0 there in which the value changes with it."""
    return [(table >> (1 << at) ^ table) & full(n_inputs) & ~variable(at, n_inputs) for at in range(n_inputs)]


def part(table, at, value, n_inputs):
    """With input `at` a constant; it stays an input on which nothing depends."""
    if value:
        kept = table & variable(at, n_inputs)
        return kept | kept >> (1 << at)
    kept = table & ~variable(at, n_inputs)
    return kept | kept << (1 << at)


def shrink(table, used):
    """The table over the inputs `used` alone, on which it depends at most."""
    small = 0
    for row in range(1 << len(used)):
        at = sum((row >> j & 1) << position for j, position in enumerate(used))
        small |= (table >> at & 1) << row
    return small


class Lut:
    """A LUT4 without the pins on which nothing depends: its cell's name, nets and table over them."""
    __slots__ = ("name", "inputs", "table", "output")

    def __init__(self, name, cell):
        pins = [cell["connections"][pin][0] for pin in PINS]
        nets, table, _ = tables_of(int(cell["parameters"]["INIT"], 2), pins)
        used = [at for at, change in enumerate(changes(table, len(nets))) if change]
        self.name, self.output = name, cell["connections"]["Z"][0]
        self.inputs, self.table = [nets[at] for at in used], shrink(table, used)


def tables_of(init, pins):
    """Of a LUT with these nets at its pins: its nets that are no constants, its table over them, and that of the LUT2 of its first 4 bits."""
    nets = list(dict.fromkeys(net for net in pins if net not in CONSTANTS))
    ones = full(len(nets))
    operands = [ones if net == "1" else 0 if net in CONSTANTS else variable(nets.index(net), len(nets)) for net in pins]
    return nets, compose(init, operands, ones), compose(init & 15, operands[:2], ones)


# ---- Cells ----

def lut_cell(inputs, table, output):
    """A LUT4 of at most four nets. Of a pin that is not used the table does not depend."""
    return cell("LUT4", {"INIT": format(compose(table, [variable(at, 4) for at in range(len(inputs))], full(4)), "016b")},
                dict(zip(PINS, [*inputs, *"0" * (4 - len(inputs))])), output)


def pfumx(select, one, zero, output):
    return cell("PFUMX", {}, {"C0": select, "ALUT": one, "BLUT": zero}, output)


def cell(kind, parameters, inputs, output):
    return {"hide_name": 1, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": {**{pin: "input" for pin in inputs}, "Z": "output"},
            "connections": {**{pin: [net] for pin, net in inputs.items()}, "Z": [output]}}


class Netlist:
    """Cells of a module of Yosys' JSON, with the readers of each net."""

    def __init__(self, module):
        self.module, self.cells = module, module["cells"]
        self.luts = {each["connections"]["Z"][0]: Lut(name, each) for name, each in self.cells.items() if each["type"] == "LUT4"}
        self.readers = collections.defaultdict(list)  # net: [(cell, or None for a port, pin)]
        self.next_net = 1
        for name, each in self.cells.items():
            for pin, bits in each["connections"].items():
                self.next_net = max([self.next_net] + [bit + 1 for bit in bits if isinstance(bit, int)])
                if each["port_directions"][pin] == "input" and each["type"] != "LUT4":
                    self.read(bits, name, pin)
        for lut in self.luts.values():
            self.read(lut.inputs, lut.name, "")
            pins = self.cells[lut.name]["connections"]
            if {pins[pin][0] for pin in PINS} - {*CONSTANTS, *lut.inputs}:  # what nothing depends on may lose its driver
                self.cells[lut.name] = lut_cell(lut.inputs, lut.table, lut.output)
        for name, port in module["ports"].items():
            self.read(port["bits"], None, name)

    def read(self, bits, name, pin):
        for bit in bits:
            self.readers[bit].append((name, pin))

    def reader(self, net):
        """The LUT that reads it, by its output, and nothing else does; or None."""
        readers = self.readers[net]
        if len(readers) == 1 and readers[0][0] and self.cells[readers[0][0]]["type"] == "LUT4":
            return self.cells[readers[0][0]]["connections"]["Z"][0]
        return None

    def remove(self, net):
        """The LUT that drives it."""
        lut = self.luts.pop(net)
        for source in lut.inputs:
            self.readers[source].remove((lut.name, ""))
        del self.cells[lut.name]

    def add(self, name, new):
        self.cells[name] = new
        for pin, bits in new["connections"].items():
            if pin != "Z":
                self.read(bits, name, pin)

    def new_net(self):
        self.next_net += 1
        return self.next_net - 1

    def forget_nets(self):
        """Names of nets that nothing drives or reads any more."""
        alive = {bit for each in self.cells.values() for bits in each["connections"].values() for bit in bits}
        alive.update(bit for port in self.module["ports"].values() for bit in port["bits"])
        names = self.module["netnames"]
        for name, net in list(names.items()):
            net["bits"] = [bit if bit in alive or bit in CONSTANTS else "x" for bit in net["bits"]]
            if all(bit == "x" for bit in net["bits"]):
                del names[name]


# ---- LUTs in front of carry cells ----

def fold(netlist):
    """LUTs that only halves of carry cells read, into each of these. How many are gone."""
    n_before = len(netlist.luts)
    for net, lut in list(netlist.luts.items()):
        places = [(name, pin[1]) for name, pin in netlist.readers[net]
                  if name and netlist.cells[name]["type"] == "CCU2C" and pin in HALF_PINS]
        if not places or len(places) != len(netlist.readers[net]):
            continue
        halves = [folded(netlist.cells[name], half, lut) for name, half in sorted(set(places))]
        if all(halves):
            for (name, half), (init, pins) in zip(sorted(set(places)), halves):
                set_half(netlist, name, half, init, pins)
            netlist.remove(net)
    return n_before - len(netlist.luts)


def folded(carry_cell, half, lut):
    """(INIT, nets of its pins) of half a carry cell with the LUT in it; None if that does not do."""
    if carry_cell["parameters"][f"INJECT1_{half}"] != "NO":
        return None
    nets, total, carry = tables_of(int(carry_cell["parameters"][f"INIT{half}"], 2), [carry_cell["connections"][f"{pin}{half}"][0] for pin in PINS])
    inputs = list(dict.fromkeys([*(net for net in nets if net != lut.output), *lut.inputs]))
    n_inputs = len(inputs)
    if n_inputs > 4:
        return None
    tables = {net: variable(at, n_inputs) for at, net in enumerate(inputs)}
    tables[lut.output] = compose(lut.table, [tables[net] for net in lut.inputs], full(n_inputs))
    operands = [tables[net] for net in nets]
    return half_of(inputs, *(compose(table, operands, full(n_inputs)) for table in (total, carry)))


def half_of(inputs, total, carry):
    """(INIT, nets of its pins) of half a carry cell for at most four inputs and these tables; None if that does not do."""
    for order in itertools.permutations(inputs):
        pins = [*order, *"1" * (4 - len(inputs))]
        init = carry_init(pins, inputs, total, carry)
        if init is not None:
            return init, pins
    return None


def carry_init(pins, inputs, total, carry):
    """INIT of half a carry cell with these nets at its pins; None if there is none. Where `total` is 0, the carry out is `carry`, which the cell
    has as the function of A and B in the first 4 bits of INIT."""
    bits = {}
    carries = {}
    for row in range(1 << len(inputs)):
        value = {net: row >> at & 1 for at, net in enumerate(inputs)}
        at = sum((1 if net == "1" else value[net]) << place for place, net in enumerate(pins))
        bits[at] = total >> row & 1
        if not bits[at] and carries.setdefault(at & 3, carry >> row & 1) != carry >> row & 1:
            return None
    for at, bit in carries.items():
        if bits.setdefault(at, bit) != bit:
            return None
    return sum(bit << at for at, bit in bits.items())


def set_half(netlist, name, half, init, pins):
    carry_cell = netlist.cells[name]
    for pin, net in zip(PINS, pins):
        port = f"{pin}{half}"
        netlist.readers[carry_cell["connections"][port][0]].remove((name, port))
        netlist.read([net], name, port)
        carry_cell["connections"][port] = [net]
    carry_cell["parameters"][f"INIT{half}"] = format(init, "016b")


# ---- LUTs behind sums ----

class Behind(typing.NamedTuple):
    """A LUT that alone reads a sum and takes it, or while `control` is `value` a function of other nets."""
    output: int
    control: int
    value: int
    others: list
    table: int  # over `others`


def behind(netlist, net):
    """[Behind] of a sum."""
    output = netlist.reader(net)
    if output is None:
        return []
    lut = netlist.luts[output]
    n_inputs, at = len(lut.inputs), lut.inputs.index(net)
    found = []
    for control, value in itertools.product((j for j in range(n_inputs) if j != at), (0, 1)):
        other = part(lut.table, control, value, n_inputs)
        if part(lut.table, control, 1 - value, n_inputs) == variable(at, n_inputs) and not changes(other, n_inputs)[at]:
            used = [j for j, change in enumerate(changes(other, n_inputs)) if change]
            found.append(Behind(output, lut.inputs[control], value, [lut.inputs[j] for j in used], shrink(other, used)))
    return found


def chains(netlist):
    """[[(cell, half)]] of carry chains that begin with a constant and of which the last carry goes nowhere."""
    carry_cells = {name: each for name, each in netlist.cells.items() if each["type"] == "CCU2C"}
    next_of = {each["connections"]["CIN"][0]: name for name, each in carry_cells.items()}
    for name, each in carry_cells.items():
        chain = [name]
        while (carry := carry_cells[chain[-1]]["connections"].get("COUT", ["x"])[0]) in next_of:
            chain.append(next_of[carry])
        begins = each["connections"]["CIN"][0] in ("0", "1")
        if begins and {carry_cells[at]["parameters"][f"INJECT1_{half}"] for at in chain for half in "01"} == {"NO"} and (carry in CONSTANTS or not netlist.readers[carry]):
            yield [(at, half) for at in chain for half in "01"]


def advance(netlist, arcs, ends):
    """Multiplexers behind all sums of a chain, with one control, to its operands, where they take no LUT: while the control chooses what is not
    the sum, the carry stays as it begins. How many LUTs are gone."""
    levels = Levels(arcs, ends)
    n_gone = 0
    for chain in list(chains(netlist)):
        sums = [netlist.cells[name]["connections"].get(f"S{half}", ["x"])[0] for name, half in chain]
        used = [sum for sum in sums if netlist.readers[sum]]
        forms = [behind(netlist, sum) for sum in used]
        common = set.intersection(*({form[1:3] for form in each} for each in forms)) if forms else ()
        for control, value in sorted(common):
            chosen = {sum: next(form for form in each if form[1:3] == (control, value)) for sum, each in zip(used, forms)}
            added = {control, *(net for form in chosen.values() for net in form.others)}
            if levels.depend(added, used):
                continue
            if change := advanced(netlist, chain, sums, chosen, control, value, levels):
                n_gone += len(used)
                below = []  # of a half: what the carry into it depends on
                for (name, half), sum, (init, pins) in zip(chain, sums, change):
                    set_half(netlist, name, half, init, pins)
                    own = [net for net in pins if net not in CONSTANTS]
                    if sum in chosen:
                        output = chosen[sum].output
                        netlist.remove(output)
                        netlist.cells[name]["connections"][f"S{half}"] = [output]
                        levels.change(output, [(net, 2 * LUT_LEVEL) for net in below] + [(net, LUT_LEVEL) for net in own])
                    below += own
                break
    return n_gone


def advanced(netlist, chain, sums, chosen, control, value, levels):
    """[(INIT, nets of the pins)] of the halves of the chain with what stood behind it; None if that does not do."""
    begin = int(netlist.cells[chain[0][0]]["connections"]["CIN"][0])
    last = max(at for at, sum in enumerate(sums) if sum in chosen)
    entered = 0  # levels of the carry
    changed = []
    for at, ((name, half), sum) in enumerate(zip(chain, sums)):
        carry_cell = netlist.cells[name]
        old = [carry_cell["connections"][f"{pin}{half}"][0] for pin in PINS]
        if at > last:
            changed.append((int(carry_cell["parameters"][f"INIT{half}"], 2), old))
            continue
        nets, total, carry = tables_of(int(carry_cell["parameters"][f"INIT{half}"], 2), old)
        form = chosen.get(sum)
        inputs = list(dict.fromkeys([*nets, control, *(form.others if form else ())]))
        n_inputs = len(inputs)
        if n_inputs > 4:
            return None
        ones, tables = full(n_inputs), {net: variable(each, n_inputs) for each, net in enumerate(inputs)}
        when = tables[control] if value else tables[control] ^ ones
        kept = ones if begin else 0
        total, carry = (compose(table, [tables[net] for net in nets], ones) for table in (total, carry))
        # A sum that nobody reads passes the carry on.
        other = compose(form.table, [tables[net] for net in form.others], ones) ^ kept if form else ones
        half_found = half_of(inputs, total & ~when | other & when, carry & ~when | kept & when)
        if half_found is None:
            return None
        arrival = max([entered] + [levels.arrival[net] for net in inputs]) + LUT_LEVEL
        if form and arrival > levels.limit[form.output]:
            return None
        entered = max([entered] + [levels.arrival[net] + LUT_LEVEL for net in inputs])
        changed.append(half_found)
    return changed


# ---- Multiplexers behind LUTs ----

# ---- Clears at the reset inputs of flip-flops ----

LEAST_CLEARED = 4  # flip-flops of one control: half of what has two reset wires on the chip


class Clear(typing.NamedTuple):
    """What clears flip-flops: a net with a value, in cycles in which they take anything: a net, or None for each cycle, with a value."""
    control: int
    value: int
    enable: int | None
    enabled: int
    clock: int


def clear(netlist, arcs, ends):
    """LUTs that are an AND of one control and what a flip-flop takes: the control clears at its reset input, which the global reset leaves free.
    As that input does not look at the enable, flip-flops with one have a LUT in common for both. How many LUTs are gone."""
    levels = Levels(arcs, ends)
    longest = max((levels.arrival[net] for net in ends), default=0)
    groups = collections.defaultdict(dict)  # Clear: {flip-flop: what it takes otherwise}
    for name, each in netlist.cells.items():
        for clears, data in clears_of(netlist, each):
            groups[clears][name] = data
    n_gone, done = 0, set()
    for clears, members in sorted(groups.items(), key=lambda group: (-len(group[1]), min(group[1]))):
        members = {name: data for name, data in members.items() if name not in done}
        late = clears.enable is not None and max(levels.arrival[clears.enable], levels.arrival[clears.control]) + LUT_LEVEL > longest
        if len(members) < LEAST_CLEARED or late:
            continue
        done.update(members)
        reset, polarity = clears.control, clears.value
        outputs = [netlist.cells[name]["connections"]["DI"][0] for name in members]
        names = [netlist.luts[net].name for net in outputs]
        for net in outputs:
            netlist.remove(net)
        if clears.enable is not None:
            reset, polarity = netlist.new_net(), 1
            inputs = [clears.control, clears.enable]
            netlist.cells[names[0]] = lut_cell(inputs, 1 << (clears.value + 2 * clears.enabled), reset)
            netlist.luts[reset] = Lut(names[0], netlist.cells[names[0]])
            netlist.read(inputs, names[0], "")
            n_gone -= 1
        n_gone += len(members)
        for (name, data), output in zip(members.items(), outputs):
            flip_flop = netlist.cells[name]
            flip_flop["parameters"].update(SRMODE="LSR_OVER_CE", LSRMUX="LSR" if polarity else "INV")
            flip_flop["port_directions"]["LSR"] = "input"
            flip_flop["connections"].update(DI=[data], LSR=[reset])
            netlist.readers[output].remove((name, "DI"))
            netlist.read([data], name, "DI")
            netlist.read([reset], name, "LSR")
    return n_gone


def clears_of(netlist, flip_flop):
    """[(Clear, net that it takes otherwise)] of a cell, if it is a flip-flop."""
    if flip_flop["type"] != "TRELLIS_FF":
        return []
    pins, parameters = flip_flop["connections"], flip_flop["parameters"]
    output = pins["DI"][0]
    lut = netlist.luts.get(output)
    fits = (lut and len(lut.inputs) == 2 and lut.table.bit_count() == 1 and len(netlist.readers[output]) == 1 and pins.get("LSR", ["0"]) == ["0"] and
            parameters.get("SRMODE", "LSR_OVER_CE") == "LSR_OVER_CE" and parameters.get("REGSET", "RESET") == "RESET")
    if not fits:
        return []
    row = lut.table.bit_length() - 1  # the only one with 1
    always = parameters.get("CEMUX", "1").strip() == "1"
    enable = (None, 1) if always else (pins["CE"][0], int(parameters["CEMUX"] == "CE"))
    if enable[0] in CONSTANTS:
        return []
    return [(Clear(lut.inputs[1 - at], 1 - (row >> (1 - at) & 1), *enable, pins["CLK"][0]), lut.inputs[at]) for at in (0, 1) if row >> at & 1]


class Pair(typing.NamedTuple):
    """Two LUTs and the multiplexer."""
    levels: int
    select: int
    luts: tuple  # (nets, table) where select is 1, and 0


class Plan(typing.NamedTuple):
    """For a net that a LUT drives: the LUTs whose place a pair takes, or None if its own stays. And LUTs in all of its tree, then."""
    n_luts: int
    levels: int
    cone: frozenset
    pair: Pair | None


def pair_of(table, inputs, arrival):
    """The earliest Pair for a function, or None."""
    n_inputs = len(inputs)
    differs = changes(table, n_inputs)
    best = None
    for at in range(n_inputs):
        where = variable(at, n_inputs)
        used = [[j for j in range(n_inputs) if j != at and differs[j] & side] for side in (where, ~where)]
        if not differs[at] or max(map(len, used)) > 4:
            continue
        levels = MUX_LEVEL + max([arrival[inputs[j]] + LUT_LEVEL for j in {*used[0], *used[1]}] + [arrival[inputs[at]]])
        if best is None or levels < best[0]:
            best = levels, at, used
    if best is None:
        return None
    levels, at, used = best
    return Pair(levels, inputs[at], tuple(([inputs[j] for j in each], shrink(part(table, at, value, n_inputs), each))
                                          for value, each in zip((1, 0), used)))


def cones(netlist, root):
    """Sets of LUTs with the root's, of which nothing else needs the others, by their nets; the inputs of each."""
    first = frozenset([root])
    queue, seen = collections.deque([first]), {first}
    while queue:
        cone = queue.popleft()
        inputs = {source for net in cone for source in netlist.luts[net].inputs} - cone
        if len(inputs) <= MAX_INPUTS:
            yield cone, sorted(inputs)
        if len(cone) < MAX_LUTS:
            for net in sorted(inputs):
                grown = cone | {net}
                if net in netlist.luts and netlist.reader(net) in cone and grown not in seen and len(seen) < MAX_CONES:
                    seen.add(grown)
                    queue.append(grown)


def function(netlist, root, inputs):
    tables = {net: variable(at, len(inputs)) for at, net in enumerate(inputs)}

    def table_of(net):
        if net not in tables:
            lut = netlist.luts[net]
            tables[net] = compose(lut.table, [table_of(source) for source in lut.inputs], full(len(inputs)))
        return tables[net]

    return table_of(root)


def plan_of(netlist, root, plans, levels):
    """Fewest LUTs for all in the root's tree; of these, the earliest."""
    leaves = [net for net in netlist.luts[root].inputs if net in plans and netlist.reader(net)]
    best = Plan(1 + sum(plans[net].n_luts for net in leaves),
                LUT_LEVEL + max((levels.arrival[net] for net in netlist.luts[root].inputs), default=0), frozenset([root]), None)
    for cone, inputs in cones(netlist, root):
        below = sum(plans[net].n_luts for net in inputs if net in plans and netlist.reader(net))
        # A cone of as many LUTs brings a level at times, but no LUT.
        if len(cone) < 3 or below + 2 > best.n_luts:
            continue
        pair = pair_of(function(netlist, root, inputs), inputs, levels.arrival)
        if pair and pair.levels <= levels.limit[root]:
            best = min(best, Plan(below + 2, pair.levels, cone, pair), key=lambda plan: plan[:2])
    return best


class Levels:
    """Levels of logic in front of each net, and the most that it may have so that no path gets longer than the longest. `arcs`: per net those that
    it depends on, and the levels between; `ends`: nets at which paths end."""

    def __init__(self, arcs, ends):
        self.users = users = collections.defaultdict(list)
        n_open = {net: len(sources) for net, sources in arcs.items()}
        for net, sources in arcs.items():
            for source, n_levels in sources:
                users[source].append((net, n_levels))
        self.arcs, self.order, self.arrival = arcs, [], collections.defaultdict(int)
        ready = [net for net in {**users, **ends} if not n_open.get(net)]
        while ready:
            net = ready.pop()
            self.order.append(net)
            self.arrive(net)
            for user, _ in users[net]:
                n_open[user] -= 1
                if not n_open[user]:
                    ready.append(user)
        longest = max((self.arrival[net] for net in ends), default=0)
        self.limit = collections.defaultdict(lambda: longest)
        for net in reversed(self.order):
            self.limit[net] = min([longest, *(self.limit[user] - n_levels for user, n_levels in users[net])])

    def change(self, net, sources):
        """The net depends on these (net, levels) now. What it had may count on, and an earlier arrival is not seen: that errs to the safe side."""
        self.arcs[net] = sources
        for source, n_levels in sources:
            self.users[source].append((net, n_levels))
        todo = [net]
        self.arrival[net] = max([self.arrival[net], *(self.arrival[source] + n_levels for source, n_levels in sources)])
        while todo:
            for user, n_levels in self.users[last := todo.pop()]:
                if self.arrival[user] < self.arrival[last] + n_levels:
                    self.arrival[user] = self.arrival[last] + n_levels
                    todo.append(user)
        todo = [net]
        while todo:
            for source, n_levels in self.arcs.get(last := todo.pop(), ()):
                if self.limit[source] > self.limit[last] - n_levels:
                    self.limit[source] = self.limit[last] - n_levels
                    todo.append(source)

    def depend(self, nets, sources):
        """Whether one of the nets depends on one of the sources."""
        earliest = min(self.arrival[source] for source in sources)
        seen, todo = set(nets), list(nets)
        while todo:
            net = todo.pop()
            if net in sources:
                return True
            for source, _ in self.arcs.get(net, ()):
                if source not in seen and self.arrival[source] >= earliest:
                    seen.add(source)
                    todo.append(source)
        return False

    def arrive(self, net):
        self.arrival[net] = max((self.arrival[source] + n_levels for source, n_levels in self.arcs.get(net, ())), default=0)


def multiplex(netlist, arcs, ends):
    """LUTs of one function into two behind the multiplexer of a slice. How many are gone."""
    levels = Levels(arcs, ends)
    plans = {}
    for net in levels.order:  # what stands before a net has been planned by then
        levels.arrive(net)
        if net in netlist.luts:
            plans[net] = plan_of(netlist, net, plans, levels)
            levels.arrival[net] = plans[net].levels
    # From the roots of trees on: what is in a cone has no plan of its own.
    roots = {net for net in plans if not netlist.reader(net)}
    todo = list(roots)
    n_gone = 0
    while todo:
        plan = plans[root := todo.pop()]
        inputs = {source for net in plan.cone for source in netlist.luts[net].inputs} - plan.cone
        todo += [net for net in sorted(inputs) if net in plans and net not in roots and netlist.reader(net) in plan.cone]
        if plan.pair:
            names = [netlist.luts[net].name for net in sorted(plan.cone)]
            for net in plan.cone:
                netlist.remove(net)
            nets = [netlist.new_net(), netlist.new_net()]
            for name, net, lut in zip(names, nets, plan.pair.luts):
                netlist.add(name, lut_cell(*lut, net))
            netlist.add(names[2], pfumx(plan.pair.select, *nets, root))
            n_gone += len(plan.cone) - 2
    return n_gone

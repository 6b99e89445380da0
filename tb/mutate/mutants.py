# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL modules: small changes of one expression each, found in slang's elaborated tree.

Elaboration says what an expression is: its type, and whether it is a parameter. Only expressions whose value is computed while the
simulation runs are changed: no widths, ranges, generate conditions or loops, no reset conditions, and nothing under `ifndef SYNTHESIS`.
"""
import hashlib
import pathlib
import re
from dataclasses import dataclass

from pyslang import ast
from pyslang.driver import Driver
from pyslang.syntax import ForVariableDeclarationSyntax

Binary, Unary = ast.BinaryOperator, ast.UnaryOperator
TEXT = {Binary.Add: "+", Binary.Subtract: "-", Binary.Multiply: "*", Binary.Divide: "/", Binary.Mod: "%", Binary.BinaryAnd: "&",
        Binary.BinaryOr: "|", Binary.BinaryXor: "^", Binary.Equality: "==", Binary.Inequality: "!=", Binary.GreaterThanEqual: ">=",
        Binary.GreaterThan: ">", Binary.LessThanEqual: "<=", Binary.LessThan: "<", Binary.LogicalAnd: "&&", Binary.LogicalOr: "||",
        Binary.LogicalShiftLeft: "<<", Binary.LogicalShiftRight: ">>", Binary.ArithmeticShiftLeft: "<<<", Binary.ArithmeticShiftRight: ">>>"}
OTHER_OPERATOR = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "==": "!=", "!=": "==", ">=": ">", ">": ">=",
                  "<=": "<", "<": "<=", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "<<<": ">>>", ">>>": ">>"}
OPERANDS_DROP = {"&", "|", "&&", "||"}
OPERANDS_SWAP = {"-", "<", "<=", ">", ">="}
RUNTIME_CALLS = {"$countones", "$signed", "$unsigned"}
LITERAL = re.compile(r"(\d+)?'(s?)([bdho])([0-9a-f_]+)$", re.IGNORECASE)
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


@dataclass
class Mutant:
    module: str
    kind: str
    start: int      # of the text that is replaced
    end: int
    old: str
    new: str
    what: str       # is wrong, for readers
    statement: str  # which it stands in
    line: int
    id: str = ""


def one_line(text):
    return " ".join(text.split())


def grouped(text):
    """In parentheses, unless nothing can come between its parts."""
    return text if re.fullmatch(r"[\w.$]+('\(\w+\))?(\[[^\[\]]*\])*", text) else f"({text})"


def typed(node):
    """slang's bindings hand out parts of a node without their class; a visitor sees it."""
    seen = []
    node.visit(lambda part: (seen.append(part), ast.VisitAction.Interrupt)[1])
    return seen[0]


def position(identity, n):
    """A number below n, the same for the same text."""
    return int(hashlib.sha1(identity.encode()).hexdigest(), 16) % n


class Mutator:
    """Collects the mutants of one module."""

    def __init__(self, module, source):
        self.module = module
        self.source = source
        self.mutants = {}      # by span and new text
        self.statement = ""
        self.functions = {}    # called while the simulation runs, in the order in which that is found

    # ---- Text ----

    def text(self, node):
        return self.source[node.sourceRange.start.offset:node.sourceRange.end.offset]

    def add(self, kind, node, new, what=""):
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        old, new = one_line(self.source[start:end]), one_line(new)
        if old != new:
            line = self.source.count("\n", 0, start) + 1
            self.mutants.setdefault((start, end, new), Mutant(self.module, kind, start, end, old, new, what or f"{old} => {new}", self.statement, line))

    def within(self, text):
        self.statement = one_line(text)

    # ---- Structure ----

    def module_body(self, body):
        self.scope(body)
        done = 0
        while done < len(self.functions):  # a function may call others
            self.statements(list(self.functions.values())[done].body)
            done += 1

    def scope(self, members):
        for member in members:
            if isinstance(member, ast.ContinuousAssignSymbol):
                self.assignment(typed(member.assignment))
            elif isinstance(member, ast.ProceduralBlockSymbol):
                self.statements(member.body)
            elif isinstance(member, ast.InstanceSymbol):
                self.connections(member)
            elif isinstance(member, ast.GenerateBlockArraySymbol):
                for block in member.entries:
                    self.scope(block)
            elif isinstance(member, ast.GenerateBlockSymbol) and not member.isUninstantiated:
                self.scope(member)

    def connections(self, instance):
        for connection in instance.portConnections:
            expression = connection.expression
            if expression is None or connection.port.direction != ast.ArgumentDirection.In:
                continue
            expression = typed(expression)
            if expression.sourceRange.start.offset == 0 or expression.kind == ast.ExpressionKind.NamedValue:
                continue
            self.within(f"{instance.name}.{connection.port.name}({self.text(expression)})")
            self.value(expression)

    def statements(self, statement):
        statement = typed(statement)
        if isinstance(statement, ast.StatementList):
            for part in statement.list:
                self.statements(part)
        elif isinstance(statement, (ast.BlockStatement, ast.ForLoopStatement)):
            self.statements(statement.body)
        elif isinstance(statement, ast.TimedStatement):
            self.statements(statement.stmt)
        elif isinstance(statement, ast.ExpressionStatement):
            expression = typed(statement.expr)
            if isinstance(expression, ast.AssignmentExpression):
                self.assignment(expression)
        elif isinstance(statement, ast.VariableDeclStatement):
            if statement.symbol.initializer is not None and not isinstance(statement.symbol.syntax.parent, ForVariableDeclarationSyntax):
                self.within(self.source_of(statement.symbol.syntax))
                self.value(typed(statement.symbol.initializer))
        elif isinstance(statement, ast.ReturnStatement):
            self.within(f"return {self.text(statement.expr)}")
            self.value(typed(statement.expr))
        elif isinstance(statement, ast.ConditionalStatement):
            for condition in statement.conditions:
                self.within(f"if ({self.text(condition.expr)})")
                if self.text(condition.expr) != "!rst_ni":
                    self.condition(typed(condition.expr))
            self.statements(statement.ifTrue)
            if statement.ifFalse is not None:
                self.statements(statement.ifFalse)
        elif isinstance(statement, ast.CaseStatement):
            for item in statement.items:
                self.statements(item.stmt)
            if statement.defaultCase is not None:
                self.statements(statement.defaultCase)

    def source_of(self, syntax):
        return self.source[syntax.sourceRange.start.offset:syntax.sourceRange.end.offset]

    def assignment(self, assignment):
        target, right = self.text(assignment.left), typed(assignment.right)
        self.within(self.text(assignment))
        if target.startswith("unused_"):
            return
        if assignment.isCompound:  # slang makes it `target op value`
            while not isinstance(right, ast.BinaryExpression):
                right = typed(right.operand)
            self.value(typed(right.right))
            return
        self.value(right)
        self.stuck(target, assignment.left.type, right)

    # ---- Mutations ----

    def stuck(self, target, kind, right):
        """One bit of what is assigned, some one of several. Constants and the parts of assignment patterns are changed otherwise."""
        text = self.text(right)
        if not kind.isIntegral or kind.isEnum or re.match(r"(\d+)?'", text) or "'{" in text:
            return
        if kind.bitWidth == 1:
            self.add("stuck-at", right, "1'b0", f"{one_line(target)} is 0")
            self.add("stuck-at", right, "1'b1", f"{one_line(target)} is 1")
            return
        bit = position(self.statement, kind.bitWidth)
        mask = f"($bits({target})'(1) << ({bit} % $bits({target})))"
        if right.type.isSigned:
            mask = f"signed'({mask})"
        self.add("stuck-at", right, f"({text}) & ~{mask}", f"bit {bit} of {one_line(target)} is 0")
        self.add("stuck-at", right, f"({text}) | {mask}", f"bit {bit} of {one_line(target)} is 1")

    def condition(self, node):
        self.value(node)
        self.add("condition", node, "1'b1")
        self.add("condition", node, "1'b0")
        self.add("condition", node, f"!{grouped(self.text(node))}")

    def value(self, node):
        """Changes of an expression, or in it."""
        if isinstance(node, ast.ConversionExpression):
            self.value(typed(node.operand))
        elif isinstance(node, ast.BinaryExpression):
            self.binary(node)
        elif isinstance(node, ast.UnaryExpression):
            self.unary(node)
        elif isinstance(node, ast.ConditionalExpression):
            for condition in node.conditions:
                self.condition(typed(condition.expr))
            self.value(typed(node.left))
            self.value(typed(node.right))
        elif isinstance(node, ast.ConcatenationExpression):
            self.concatenation(node)
        elif isinstance(node, ast.ReplicationExpression):
            self.value(typed(node.concat))
        elif isinstance(node, ast.CallExpression):
            if not node.isSystemCall:
                self.functions.setdefault(node.subroutine.name, node.subroutine)
            if not node.isSystemCall or node.subroutineName in RUNTIME_CALLS:
                for argument in node.arguments:
                    self.value(typed(argument))
        elif isinstance(node, (ast.ElementSelectExpression, ast.RangeSelectExpression, ast.MemberAccessExpression)):
            self.select(node)
        elif isinstance(node, ast.StructuredAssignmentPatternExpression):
            for setter in node.memberSetters:
                self.value(typed(setter.expr))
        elif isinstance(node, (ast.SimpleAssignmentPatternExpression, ast.ReplicatedAssignmentPatternExpression)):
            for element in node.elements:
                self.value(typed(element))
        elif isinstance(node, ast.InsideExpression):
            self.value(typed(node.left))
        elif isinstance(node, (ast.IntegerLiteral, ast.UnbasedUnsizedIntegerLiteral)):
            self.literal(node)
        elif isinstance(node, ast.NamedValueExpression):
            self.named(node)

    def binary(self, node):
        left, right = typed(node.left), typed(node.right)
        operator = TEXT[node.op]
        a, b = self.text(left), self.text(right)
        self.add("operator", node, f"{grouped(a)} {OTHER_OPERATOR[operator]} {grouped(b)}")
        if operator in OPERANDS_DROP:
            self.add("operator", node, a)
            self.add("operator", node, b)
        if operator in OPERANDS_SWAP:
            self.add("swapped", node, f"{grouped(b)} {operator} {grouped(a)}")
        self.value(left)
        self.value(right)

    def unary(self, node):
        text = self.text(node.operand)
        group = grouped(text)
        new = {Unary.BitwiseNot: text, Unary.Minus: text, Unary.LogicalNot: f"{group} != '0",
               Unary.BitwiseOr: f"&{group}", Unary.BitwiseAnd: f"|{group}", Unary.BitwiseXor: f"|{group}"}.get(node.op)
        if new is not None:
            self.add("operator", node, new)
        self.value(typed(node.operand))

    def concatenation(self, node):
        parts = [typed(part) for part in node.operands]
        if len(parts) == 2:
            self.add("swapped", node, f"{{{self.text(parts[1])}, {self.text(parts[0])}}}")
        for part in parts:
            self.value(part)

    def select(self, node):
        """Indices only: what is selected from has to stay a name."""
        while isinstance(node, (ast.ElementSelectExpression, ast.RangeSelectExpression, ast.MemberAccessExpression)):
            if isinstance(node, ast.ElementSelectExpression):
                self.value(typed(node.selector))
            elif isinstance(node, ast.RangeSelectExpression) and node.selectionKind != ast.RangeSelectionKind.Simple:
                self.value(typed(node.left))
            node = typed(node.value)

    def literal(self, node):
        text = self.text(node).replace("_", "")
        if text in ("'0", "'1"):
            self.add("constant", node, "'1" if text == "'0" else "'0")
            return
        match = LITERAL.match(text)
        if not match:
            self.add("constant", node, str(int(text) + 1))
            if text != "0":
                self.add("constant", node, str(int(text) - 1))
            return
        width, sign, base, digits = match.groups()
        value, width = int(digits, BASES[base.lower()]), int(width)
        for other in (value + 1, value - 1):
            self.add("constant", node, f"{width}'{sign}d{other % (1 << width)}" if width > 1 else f"1'b{other & 1}")

    def named(self, node):
        """Parameters and names of an enumeration; a generate loop's variable is no constant in this sense."""
        symbol = node.symbol
        if isinstance(symbol, ast.EnumValueSymbol):
            names = [value.name for value in node.type.canonicalType]
            self.add("constant", node, names[(names.index(symbol.name) + 1) % len(names)])
        elif isinstance(symbol, ast.ParameterSymbol) and symbol.initializer is not None and node.type.isIntegral:
            new = f"{node.type.bitWidth}'({symbol.name} + 1)"
            self.add("constant", node, f"signed'({new})" if node.type.isSigned else new)


def identify(mutants, taken):
    """An identifier, 31 bits in hexadecimal digits, that stays when other lines and modules change: made of module, statement and the change,
    numbered where that is not unique."""
    for mutant in mutants:
        n, mutant.id = 0, None
        while mutant.id is None or mutant.id in taken:
            n += 1
            what = "|".join((mutant.module, mutant.statement, mutant.what, str(n)))
            mutant.id = f"{int(hashlib.sha1(what.encode()).hexdigest()[:8], 16) & 0x7fffffff:08x}"
        taken.add(mutant.id)


def mutants_of(top, arguments, folders):
    """Mutants of the modules whose files stand in these folders, by file, as `top` is elaborated from slang's arguments."""
    driver = Driver()
    driver.addStandardArgs()
    if not (driver.parseCommandLine(f"slang --top {top} -DSYNTHESIS --timescale 1ns/1ps {arguments}") and driver.processOptions()
            and driver.parseAllSources()):
        raise RuntimeError("slang cannot read the RTL")
    compilation = driver.createCompilation()
    manager, bodies = driver.sourceManager, {}

    def collect(node):
        if isinstance(node, ast.InstanceSymbol):
            bodies.setdefault(node.definition.name, node)

    compilation.getRoot().visit(collect)
    found, taken = {}, set()
    for name, instance in sorted(bodies.items()):
        path = pathlib.Path(str(manager.getFullPath(instance.definition.location.buffer)))
        if path.parent.name in folders:
            source = path.read_bytes().decode("ascii")
            mutator = Mutator(name, source)
            mutator.module_body(instance.body)
            mutants = sorted(mutator.mutants.values(), key=lambda mutant: (mutant.start, mutant.end))
            identify(mutants, taken)
            found[path] = mutants
    return found


def mutated(source, mutants):
    """The source with all mutants asleep in it: where some stand, a choice by which one is awake. Their numbers are their identifiers, so
    that the text of a module depends on no other."""
    by_span = {}
    for mutant in mutants:
        by_span.setdefault((mutant.start, mutant.end), []).append(mutant)
    spans = sorted(by_span, key=lambda span: (span[0], -span[1]))

    def render(start, end, inside):
        """The text from start to end; `inside` are the spans in it, outermost first."""
        text, at = "", start
        while inside:
            first = inside[0]
            within = [span for span in inside[1:] if span[1] <= first[1]]
            inside = inside[1 + len(within):]
            piece = f"({render(*first, within)})"
            for mutant in by_span[first]:
                piece = f"qsm_fault_pkg::on('h{mutant.id}) ? ({mutant.new}) : {piece}"
            text, at = text + source[at:first[0]] + f"({piece})", first[1]
        return text + source[at:end]

    return render(0, len(source), spans)

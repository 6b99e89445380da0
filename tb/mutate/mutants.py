# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL modules: small changes of one expression or statement each, found in slang's elaborated tree.

Elaboration says what an expression is: its type, and whether it is a parameter. Only expressions whose value is computed while the
simulation runs are changed: no widths, ranges, generate conditions or loops, no reset conditions, and nothing under `ifndef SYNTHESIS`.

Places and mutants have names that hold no text of the RTL (sites.py).
"""
import hashlib
import pathlib
import re
from dataclasses import dataclass

from pyslang import ast
from pyslang.driver import Driver
from pyslang.syntax import ForVariableDeclarationSyntax

from sites import Sites, name_of, roles_of, tokens_of

Binary, Unary = ast.BinaryOperator, ast.UnaryOperator
TEXT = {Binary.Add: "+", Binary.Subtract: "-", Binary.Multiply: "*", Binary.Divide: "/", Binary.Mod: "%", Binary.BinaryAnd: "&",
        Binary.BinaryOr: "|", Binary.BinaryXor: "^", Binary.Equality: "==", Binary.Inequality: "!=", Binary.GreaterThanEqual: ">=",
        Binary.GreaterThan: ">", Binary.LessThanEqual: "<=", Binary.LessThan: "<", Binary.LogicalAnd: "&&", Binary.LogicalOr: "||",
        Binary.LogicalShiftLeft: "<<", Binary.LogicalShiftRight: ">>", Binary.ArithmeticShiftLeft: "<<<", Binary.ArithmeticShiftRight: ">>>"}
OTHER_OPERATOR = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "==": "!=", "!=": "==", ">=": ">", ">": ">=",
                  "<=": "<", "<": "<=", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "<<<": ">>>", ">>>": ">>"}
OPERANDS_DROP = {"&", "|", "&&", "||", "+", "^"}
LEFT_STAYS = {"-", "<<", ">>", "<<<", ">>>"}
OPERANDS_SWAP = {"-", "<", "<=", ">", ">="}
RUNTIME_CALLS = {"$countones", "$signed", "$unsigned"}
# Where all modules are to be found: in `odd` no number of parts is one or a power of two, `tiny` has floating point. The DMA engine is in
# no GPU yet.
MACHINES = [("qsm_gpu_axi", "-f build/cfg/odd/files.f"), ("qsm_gpu_axi", "-f build/cfg/tiny/files.f"), ("qsm_dma", "-f build/cfg/odd/files.f")]
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
    is_statement: bool = False
    id: str = ""    # in its module; no text of the RTL is in it (sites.py)
    number: int = 0  # of all modules

    def applied_to(self, source):
        return source[:self.start] + (self.new if self.is_statement else f"({self.new})") + source[self.end:]


def is_unused(target):
    """Of what a module does not read, lint has it say so (docs/style.md)."""
    return target == "unused" or target.startswith("unused_")


def one_line(text):
    return " ".join(text.split())


def grouped(text):
    """In parentheses, unless nothing can come between its parts."""
    return text if re.fullmatch(r"[\w.$]+('\(\w+\))?(\[[^\[\]]*\])*", "".join(text.split())) else f"({text})"


def typed(node):
    """slang's bindings hand out parts of a node without their class; a visitor sees it."""
    seen = []
    node.visit(lambda part: (seen.append(part), ast.VisitAction.Interrupt)[1])
    return seen[0]


def is_literal(node):
    while isinstance(node, ast.ConversionExpression) and node.isImplicit:
        node = typed(node.operand)
    return isinstance(node, (ast.IntegerLiteral, ast.UnbasedUnsizedIntegerLiteral))


def position(identity, n):
    """A number below n, the same for the same text."""
    return int(hashlib.sha1(identity.encode()).hexdigest(), 16) % n


def span_of(node):
    return node.sourceRange.start.offset, node.sourceRange.end.offset


def parts_of(node):
    """The operands of an expression, the parts of a statement: $1, $2, ... of a fault made by hand."""
    if isinstance(node, ast.ConversionExpression) and node.isImplicit:
        return parts_of(typed(node.operand))
    if isinstance(node, (ast.BinaryExpression, ast.AssignmentExpression)):
        parts = [node.left, node.right]
    elif isinstance(node, (ast.UnaryExpression, ast.ConversionExpression)):
        parts = [node.operand]
    elif isinstance(node, ast.ConditionalExpression):
        parts = [*(condition.expr for condition in node.conditions), node.left, node.right]
    elif isinstance(node, ast.ConcatenationExpression):
        parts = node.operands
    elif isinstance(node, ast.ReplicationExpression):
        parts = [node.count, node.concat]
    elif isinstance(node, ast.CallExpression):
        parts = node.arguments
    elif isinstance(node, ast.ElementSelectExpression):
        parts = [node.value, node.selector]
    elif isinstance(node, ast.RangeSelectExpression):
        parts = [node.value, node.left, node.right]
    elif isinstance(node, ast.MemberAccessExpression):
        parts = [node.value]
    elif isinstance(node, ast.InsideExpression):
        parts = [node.left, *node.rangeList]
    elif isinstance(node, ast.StructuredAssignmentPatternExpression):
        parts = [setter.expr for setter in node.memberSetters]
    elif isinstance(node, (ast.SimpleAssignmentPatternExpression, ast.ReplicatedAssignmentPatternExpression)):
        parts = node.elements
    elif isinstance(node, ast.ExpressionStatement):
        return parts_of(typed(node.expr))
    elif isinstance(node, ast.ConditionalStatement):
        parts = [*(condition.expr for condition in node.conditions), node.ifTrue, *([node.ifFalse] if node.ifFalse is not None else [])]
    else:
        parts = []
    return [typed(part) for part in parts]


def root_of(node):
    """The variable that an assignment's left side is, or is a part of; None if there are several."""
    while isinstance(node, (ast.ElementSelectExpression, ast.RangeSelectExpression, ast.MemberAccessExpression)):
        node = typed(node.value)
    return node.symbol if isinstance(node, ast.NamedValueExpression) else None


def fields_of(kind):
    """Those of a structure, and of the structures in it."""
    kind = kind.canonicalType
    if kind.isArray:
        yield from fields_of(kind.elementType)
    elif isinstance(kind, (ast.PackedStructType, ast.UnpackedStructType)):
        for field in kind:
            if isinstance(field, ast.FieldSymbol):
                yield field
                yield from fields_of(field.type)


def of_one_type(symbol, other):
    """Whether two variables are of the same type by their declarations too: what has the same width with these parameters only, and another one in a
    unit bench, would change the width of the choice between both, and so what surrounds it while its mutants sleep."""
    return symbol.type.isMatching(other.type) and declared_type(symbol) == declared_type(other)


def declared_type(symbol):
    return [text for _, _, text in tokens_of(str(symbol.declaredType.typeSyntax))]


class Neighbours:
    """The variables of a module that may stand for each other, in the order of their declarations."""

    def __init__(self, variables):
        self.all = variables
        self.places = {variable.name: n for n, variable in enumerate(variables)}

    def next_of_type(self, symbol, use):
        """The one of the same type that is declared next, in a circle, and before this use; None if there is none."""
        place = self.places.get(symbol.name)
        if place is None or isinstance(symbol, (ast.ParameterSymbol, ast.EnumValueSymbol)):
            return None
        behind = self.all[place + 1:] + self.all[:place]
        return next((other for other in behind if other.location.offset < use and of_one_type(other, symbol)), None)


def registers_of(body):
    """Variables that clocked processes assign."""
    assigned = set()

    def collect(node):
        if isinstance(node, ast.AssignmentExpression) and node.isNonBlocking:
            symbol = root_of(typed(node.left))
            if symbol is not None:
                assigned.add(symbol.name)

    for member in body:
        if isinstance(member, ast.ProceduralBlockSymbol) and member.procedureKind == ast.ProceduralBlockKind.AlwaysFF:
            member.body.visit(collect)
    return [member for member in body if isinstance(member, ast.VariableSymbol) and member.name in assigned]


def next_values(body):
    """{variable: the register that takes it over each cycle}"""
    found = {}

    def collect(node):
        if isinstance(node, ast.AssignmentExpression) and node.isNonBlocking:
            left, right = typed(node.left), typed(node.right)
            if isinstance(left, ast.NamedValueExpression) and isinstance(right, ast.NamedValueExpression):
                found.setdefault(right.symbol.name, left.symbol)

    for member in body:
        if isinstance(member, ast.ProceduralBlockSymbol) and member.procedureKind == ast.ProceduralBlockKind.AlwaysFF:
            member.body.visit(collect)
    return found


class Mutator:
    """Collects the mutants of one module, or of a package's functions."""

    def __init__(self, module, source):
        self.module = module
        self.source = source
        self.sites = Sites(module, source)
        self.parameters = set()  # that a fault made by hand may name
        self.mutants = {}      # by span and new text
        self.path = []         # what the present statement stands in, spans and words
        self.statement = ""
        self.functions = {}    # called while the simulation runs, in the order in which that is found
        self.assigned = None   # by the present process so far, if leaving out an assignment leaves another value

    # ---- Text ----

    def text(self, node):
        return self.source[node.sourceRange.start.offset:node.sourceRange.end.offset]

    def site(self, node, span=None):
        return self.sites.add(node, *(span or span_of(node)), [*self.path, self.span], self.statement)

    def add(self, kind, node, new, what="", span=None):
        start, end = span or span_of(node)
        old, new = one_line(self.source[start:end]), one_line(new)
        if old != new:
            site = self.site(node, (start, end))
            self.mutants.setdefault((start, end, new), Mutant(self.module, kind, start, end, old, new, what or f"{old} => {new}", self.statement,
                                                              site.line, isinstance(node, ast.Statement)))

    def within(self, *nodes):
        """The statement, or the head of one, is the text from the first node to the last."""
        self.span = span_of(nodes[0])[0], span_of(nodes[-1])[1]
        self.statement = one_line(self.source[self.span[0]:self.span[1]])

    # ---- Structure ----

    def look_at(self, body, buffer):
        """Collects what is in the body of an instance; more than one instance shows more of what depends on parameters."""
        self.sites.roles = self.sites.roles or roles_of(body, self.source)
        self.registers = Neighbours(registers_of(body))  # in place of each other they close no loop without a register
        self.variables = Neighbours([member for member in body if isinstance(member, ast.VariableSymbol) and member.name not in ("clk_i", "rst_ni")])
        self.nexts = next_values(body)
        self.parameters |= {member.name for member in body if isinstance(member, ast.ParameterSymbol)}
        self.given_fields = {(field.location.buffer, field.location.offset) for member in body if isinstance(member, ast.TypeParameterSymbol)
                             for field in fields_of(member.targetType.type)}
        self.functions = {}
        self.scope(body)
        self.called_functions(buffer)

    def look_at_functions(self, functions, buffer):
        self.registers = self.variables = Neighbours([])
        self.nexts, self.given_fields, self.functions = {}, set(), functions
        self.called_functions(buffer)

    def called_functions(self, buffer):
        done = 0
        while done < len(self.functions):  # a function may call others
            function = list(self.functions.values())[done]
            if function.location.buffer == buffer:
                self.path, self.assigned = ["function"], set()
                self.statements(function.body)
            done += 1

    def scope(self, members):
        for member in members:
            if isinstance(member, ast.ContinuousAssignSymbol):
                self.path = ["assign"]
                self.assignment(typed(member.assignment))
            elif isinstance(member, ast.ProceduralBlockSymbol):
                self.process(member)
            elif isinstance(member, ast.InstanceSymbol):
                self.connections(member)
            elif isinstance(member, ast.GenerateBlockArraySymbol):
                for block in member.entries:
                    self.scope(block)
            elif isinstance(member, ast.GenerateBlockSymbol) and not member.isUninstantiated:
                self.scope(member)

    def process(self, process):
        clocked = process.procedureKind == ast.ProceduralBlockKind.AlwaysFF
        self.path, self.assigned = ["always_ff" if clocked else "always_comb"], None if clocked else set()
        self.clocked, self.reset = clocked, ""
        if clocked:
            timing = typed(process.body).timing
            for event in timing.events if isinstance(timing, ast.EventListControl) else ():
                if event.edge == ast.EdgeKind.NegEdge:
                    self.reset = f"!{self.text(event.expr)}"
        self.statements(process.body)
        self.assigned, self.clocked, self.reset = None, False, ""

    def connections(self, instance):
        for connection in instance.portConnections:
            expression = connection.expression
            if expression is None or connection.port.direction != ast.ArgumentDirection.In:
                continue
            expression = typed(expression)
            if expression.sourceRange.start.offset == 0 or connection.port.name in ("clk_i", "rst_ni"):
                continue
            self.path = ["port"]
            self.within(expression)
            if self.source[:self.span[0]].rstrip().endswith("."):
                continue  # `.name` alone: no place for another expression
            self.statement = f"{instance.name}.{connection.port.name}({self.statement})"
            self.zero(expression)
            self.value(expression)

    def inside(self, *context):
        """For `with`: statements below have these parts in their path."""
        return Inside(self, context)

    def statements(self, statement):
        statement = typed(statement)
        if isinstance(statement, ast.StatementList):
            for part in statement.list:
                self.statements(part)
        elif isinstance(statement, ast.BlockStatement):
            self.statements(statement.body)
        elif isinstance(statement, ast.ForLoopStatement):
            with self.inside("for", span_of(typed(statement.stopExpr))):
                self.statements(statement.body)
        elif isinstance(statement, ast.TimedStatement):
            self.statements(statement.stmt)
        elif isinstance(statement, ast.ExpressionStatement):
            expression = typed(statement.expr)
            if isinstance(expression, ast.AssignmentExpression):
                self.assignment(expression)
                self.site(statement, self.statement_span(statement))
                self.left_out(statement, expression)
        elif isinstance(statement, ast.VariableDeclStatement):
            symbol = statement.symbol
            if symbol.initializer is not None and not isinstance(symbol.syntax.parent, ForVariableDeclarationSyntax):
                self.within(symbol.syntax)
                self.value(typed(symbol.initializer))
                if self.assigned is not None:
                    self.assigned.add(symbol.name)
        elif isinstance(statement, ast.ReturnStatement):
            self.within(statement.expr)
            self.statement = f"return {self.statement}"
            with self.inside("return"):
                self.value(typed(statement.expr))
        elif isinstance(statement, ast.ConditionalStatement):
            self.conditional(statement)
        elif isinstance(statement, ast.CaseStatement):
            for item in statement.items:
                with self.inside("case", span_of(typed(statement.expr)), *(span_of(typed(part)) for part in item.expressions)):
                    self.statements(item.stmt)
            if statement.defaultCase is not None:
                with self.inside("default", span_of(typed(statement.expr))):
                    self.statements(statement.defaultCase)

    def conditional(self, statement):
        conditions = [typed(condition.expr) for condition in statement.conditions]
        self.within(*conditions)
        head, is_reset = self.span, "".join(self.text(conditions[0]).split()) == self.reset
        self.statement = f"if ({self.statement})"
        with self.inside("if"):
            for condition in conditions:
                if not is_reset:
                    self.condition(condition)
        with self.inside("then", head):
            assigned, self.in_reset = self.in_reset, self.in_reset or is_reset
            self.statements(statement.ifTrue)
            self.in_reset = assigned
        if statement.ifFalse is not None:
            with self.inside("else", head):
                self.statements(statement.ifFalse)

    in_reset = False
    clocked = False
    reset = ""

    def assignment(self, assignment):
        left, right = typed(assignment.left), typed(assignment.right)
        target = self.text(left)
        self.within(assignment)
        if is_unused(target):
            return
        if assignment.isCompound:  # slang makes it `target op value`
            while not isinstance(right, ast.BinaryExpression):
                right = typed(right.operand)
            self.value(typed(right.right))
            return
        self.value(right)
        self.stuck(target, left.type, right)
        if self.clocked:
            for part in left.operands if isinstance(left, ast.ConcatenationExpression) else [left]:
                self.indices(typed(part))

    def left_out(self, statement, assignment):
        """An update is missing: of a register, or of a variable that has had a value before in this process. A missing reset would show
        in real hardware only, since simulation begins with the values of reset."""
        left = typed(assignment.left)
        roots = [root_of(typed(part)) for part in (left.operands if isinstance(left, ast.ConcatenationExpression) else [left])]
        names = {root.name for root in roots if root is not None}
        seen_before = self.assigned is None or (names and names <= self.assigned)
        if self.assigned is not None:
            self.assigned |= names
        if seen_before and not self.in_reset and not is_unused(self.text(left)):
            self.add("missing", statement, ";", f"without {self.statement}", self.statement_span(statement))

    def statement_span(self, statement):
        start, end = span_of(statement)
        return (start, end) if self.source[start:end].endswith((";", "end")) else (start, self.source.index(";", end) + 1)

    # ---- Mutations ----

    def stuck(self, target, kind, right):
        """One bit of what is assigned, some one of several. Constants and the parts of assignment patterns are changed otherwise."""
        text = self.text(right)
        if not kind.isIntegral or kind.isEnum or is_literal(right) or "'{" in text:
            return
        if kind.bitWidth == 1:
            self.add("stuck-at", right, "1'b0", f"{one_line(target)} is 0")
            self.add("stuck-at", right, "1'b1", f"{one_line(target)} is 1")
            return
        if self.site(right).stuck_bit is not None:
            return
        bit = self.site(right).stuck_bit = position(self.site(right).shape, kind.bitWidth)
        mask = f"($bits({target})'(1) << ({bit} % $bits({target})))"
        if right.type.isSigned:
            mask = f"signed'({mask})"
        self.add("stuck-at", right, f"({text}) & ~{mask}", f"bit {bit} of {one_line(target)} is 0")
        self.add("stuck-at", right, f"({text}) | {mask}", f"bit {bit} of {one_line(target)} is 1")

    def zero(self, node):
        """A part of something larger is 0."""
        text = self.text(node)
        if node.type.isIntegral and not node.type.isEnum and not is_literal(node) and "'{" not in text:
            self.add("zero", node, f"$bits({text})'(0)", f"{one_line(text)} => 0")

    def condition(self, node):
        self.value(node)
        self.add("condition", node, "1'b1")
        self.add("condition", node, "1'b0")
        self.add("condition", node, f"!{grouped(self.text(node))}")

    def value(self, node):
        """Changes of an expression, or in it."""
        self.site(node)
        if isinstance(node, ast.ConversionExpression):
            self.value(typed(node.operand))
        elif isinstance(node, ast.BinaryExpression):
            self.binary(node)
        elif isinstance(node, ast.UnaryExpression):
            self.unary(node)
        elif isinstance(node, ast.ConditionalExpression):
            for condition in node.conditions:
                self.condition(typed(condition.expr))
            for branch in (typed(node.left), typed(node.right)):
                self.zero(branch)
                self.value(branch)
        elif isinstance(node, ast.ConcatenationExpression):
            self.concatenation(node)
        elif isinstance(node, ast.ReplicationExpression):
            self.value(typed(node.concat))
        elif isinstance(node, ast.CallExpression):
            if not node.isSystemCall:
                self.functions.setdefault(node.subroutine.name, node.subroutine)
            if not node.isSystemCall or node.subroutineName in RUNTIME_CALLS:
                for argument in node.arguments:
                    if not node.isSystemCall:
                        self.zero(typed(argument))
                    self.value(typed(argument))
        elif isinstance(node, (ast.ElementSelectExpression, ast.RangeSelectExpression, ast.MemberAccessExpression)):
            self.select(node)
        elif isinstance(node, ast.StructuredAssignmentPatternExpression):
            for setter in node.memberSetters:
                self.zero(typed(setter.expr))
                self.value(typed(setter.expr))
        elif isinstance(node, (ast.SimpleAssignmentPatternExpression, ast.ReplicatedAssignmentPatternExpression)):
            for element in node.elements:
                self.value(typed(element))
        elif isinstance(node, ast.InsideExpression):
            self.inside_of(node)
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
        elif operator in LEFT_STAYS:
            self.add("operator", node, a)
        if operator in ("==", "!=") and not left.type.isEnum and left.type.isIntegral and max(left.type.bitWidth, right.type.bitWidth) > 1:
            self.add("operator", node, f"((({a}) ^ ({b})) << 1) {operator} '0", f"{one_line(self.text(node))} without the top bit")
        if operator in OPERANDS_SWAP:
            self.add("swapped", node, f"{grouped(b)} {operator} {grouped(a)}")
        self.value(left)
        self.value(right)

    def inside_of(self, node):
        """One of the values that are compared with is not."""
        values = [typed(value) for value in node.rangeList]
        for dropped in values if len(values) > 1 else ():
            kept = ", ".join(self.text(value) for value in values if value is not dropped)
            self.add("operator", node, f"{self.text(node.left)} inside {{{kept}}}")
        self.value(typed(node.left))

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
            if not isinstance(part, ast.ReplicationExpression):
                self.zero(part)
            self.value(part)

    def select(self, node):
        """Indices, and members for those of the same type behind them: what is selected from has to stay a name."""
        self.member(node)
        self.indices(node)

    def indices(self, node):
        while isinstance(node, (ast.ElementSelectExpression, ast.RangeSelectExpression, ast.MemberAccessExpression)):
            self.site(node)
            if isinstance(node, ast.ElementSelectExpression):
                selector = typed(node.selector)
                self.value(selector)
                if not isinstance(selector, (ast.IntegerLiteral, ast.UnbasedUnsizedIntegerLiteral)):
                    self.add("index", selector, "'0")
            elif isinstance(node, ast.RangeSelectExpression) and node.selectionKind != ast.RangeSelectionKind.Simple:
                self.value(typed(node.left))
            node = typed(node.value)
        self.site(node)

    def member(self, node):
        """Of a structure whose type is the module's parameter only those that the module names: another parent's may have no others."""
        if not isinstance(node, ast.MemberAccessExpression) or not isinstance(node.member, ast.FieldSymbol):
            return
        fields = [member for member in node.member.parentScope if isinstance(member, ast.FieldSymbol)]
        place = node.member.fieldIndex
        other = next((other for other in fields[place + 1:] + fields[:place] if of_one_type(other, node.member) and self.has(other)), None)
        if other is not None:
            self.add("neighbour", node, f"{self.text(node.value)}.{other.name}")

    def has(self, field):
        place = field.location.buffer, field.location.offset
        return place not in self.given_fields or re.search(rf"\.\s*{field.name}\b", self.source) is not None

    def literal(self, node):
        text = self.text(node).replace("_", "")
        if text in ("'0", "'1"):
            self.add("constant", node, "'1" if text == "'0" else "'0")
            return
        if "x" in text.lower() and not LITERAL.match(text):
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
        """Registers, parameters and names of an enumeration; a generate loop's variable is no constant in this sense."""
        symbol = node.symbol
        register = self.nexts.get(symbol.name)
        if register is not None and not self.clocked and register.location.offset < node.sourceRange.start.offset:
            self.add("late", node, register.name)
        other = (self.variables if self.clocked else self.registers).next_of_type(symbol, node.sourceRange.start.offset)
        if other is not None:
            self.add("neighbour", node, other.name)
        if isinstance(symbol, ast.VariableSymbol) and isinstance(symbol.syntax.parent, ForVariableDeclarationSyntax) or (
                isinstance(symbol, ast.ParameterSymbol) and symbol.initializer is None and not symbol.isPortParam):
            self.add("constant", node, f"{symbol.name} + 1")
        if isinstance(symbol, ast.EnumValueSymbol):
            names = [value.name for value in node.type.canonicalType]
            self.add("constant", node, names[(names.index(symbol.name) + 1) % len(names)])
        elif isinstance(symbol, ast.ParameterSymbol) and symbol.initializer is not None and node.type.isIntegral:
            for change in ("+ 1", "- 1"):
                new = f"{node.type.bitWidth}'({symbol.name} {change})"
                self.add("constant", node, f"signed'({new})" if node.type.isSigned else new)


class Inside:
    def __init__(self, mutator, context):
        self.mutator, self.context = mutator, context

    def __enter__(self):
        self.kept = self.mutator.path
        self.mutator.path = [*self.kept, *self.context]

    def __exit__(self, *_):
        self.mutator.path = self.kept


def identify(mutator):
    """Gives the mutants of a module their identifiers, made of place and change."""
    mutator.sites.finish()
    found, taken = sorted(mutator.mutants.values(), key=lambda mutant: (mutant.start, -mutant.end)), set()
    for mutant in found:
        site = mutator.sites.by_span[mutant.start, mutant.end, mutant.is_statement]
        again = 0
        while not mutant.id or mutant.id in taken:
            mutant.id = name_of(site.name, mutant.kind, mutator.sites.change(site, mutant.new), again)
            again += 1
        taken.add(mutant.id)
    return found


# ---- All modules ----

def elaborated(top, arguments):
    """slang's compilation of `top`, and its source manager; `driver` owns both."""
    driver = Driver()
    driver.addStandardArgs()
    if not (driver.parseCommandLine(f"slang --top {top} -DSYNTHESIS --timescale 1ns/1ps {arguments}") and driver.processOptions()
            and driver.parseAllSources()):
        raise RuntimeError("slang cannot read the RTL")
    return driver, driver.createCompilation()


def source_of(manager, buffer):
    path = pathlib.Path(str(manager.getFullPath(buffer)))
    return path, path.read_bytes().decode("ascii")


def constant_functions(compilation):
    """Functions of packages that are called while the RTL is elaborated: they have to stay as they are."""
    names = set()

    def calls(node):
        if isinstance(node, ast.CallExpression) and not node.isSystemCall:
            names.add(node.subroutine.name)
            node.subroutine.body.visit(calls)

    def parameters(node):
        if isinstance(node, ast.ParameterSymbol) and node.initializer is not None:
            node.initializer.visit(calls)

    compilation.getRoot().visit(parameters)
    for package in compilation.getPackages():
        package.visit(parameters)
    return names


def mutators_of(elaborations, folders=None):
    """{file: the mutator of its module, or of its package's functions}, of files that stand in these folders (None: all). A module is looked at
    in all its instances with other parameters, in all elaborations: (top, slang's arguments)."""
    found = {}
    for top, arguments in elaborations:
        driver, compilation = elaborated(top, arguments)
        kept_alive.append((driver, compilation))
        instances, functions = {}, {}

        def collect(node, instances=instances):
            if isinstance(node, ast.InstanceSymbol) and not node.body.isUninstantiated:
                parameters = tuple(str(member.value) for member in node.body if isinstance(member, ast.ParameterSymbol))
                instances.setdefault((node.definition.name, parameters), node)

        compilation.getRoot().visit(collect)
        parameters = {member.name for package in compilation.getPackages() for member in package if isinstance(member, ast.ParameterSymbol)}
        for (name, _), instance in sorted(instances.items()):
            buffer = instance.definition.location.buffer
            path, source = source_of(driver.sourceManager, buffer)
            if folders is not None and path.parent.name not in folders:
                continue
            mutator = found.setdefault(path, Mutator(name, source))
            mutator.parameters |= parameters
            mutator.look_at(list(instance.body), buffer)
            for function in mutator.functions.values():
                if function.location.buffer != buffer:
                    functions.setdefault(function.location.buffer, {})[function.name] = function
        constant = constant_functions(compilation) if functions else set()
        for buffer, called in functions.items():
            path, source = source_of(driver.sourceManager, buffer)
            if folders is None or path.parent.name in folders:
                mutator = found.setdefault(path, Mutator(path.stem, source))
                mutator.parameters |= parameters
                mutator.look_at_functions({name: function for name, function in sorted(called.items()) if name not in constant}, buffer)
    for mutator in found.values():
        mutator.mutants_by_place = identify(mutator)
    taken = {0}
    for path in sorted(found):
        for mutant in found[path].mutants_by_place:
            again = 0
            while mutant.number in taken:
                mutant.number = int(name_of(mutant.module, mutant.id, again), 16)
                again += 1
            taken.add(mutant.number)
    return found


kept_alive = []  # slang's nodes live as long as these


def mutants_of(elaborations, folders=None):
    """{file: its mutants}"""
    return {path: mutator.mutants_by_place for path, mutator in mutators_of(elaborations, folders).items()}


def mutated(source, mutants):
    """The source with all mutants asleep in it: where some stand, a choice by which one is awake."""
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
            piece = render(*first, within)
            statement = by_span[first][0].is_statement
            piece = piece if statement else f"({piece})"
            for mutant in by_span[first]:
                awake = f"qsm_fault_pkg::on('h{mutant.number:08x})"
                piece = f"if ({awake}) begin {mutant.new} end else begin {piece} end" if statement else f"{awake} ? ({mutant.new}) : {piece}"
            text, at = text + source[at:first[0]] + (f"begin {piece} end" if statement else f"({piece})"), first[1]
        return text + source[at:end]

    return render(0, len(source), spans)

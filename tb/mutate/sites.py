# SPDX-License-Identifier: Apache-2.0
"""Names of places in RTL that hold no text of it, so that they stay when identifiers, layout, comments or other lines change.

A place is an expression or statement. Its name is a hash of the shape of the statement that it stands in and of the conditions, cases
and loops around that, and of where it is in them. In the shape each identifier is a number, by its first appearance there, with what its
declaration says: port, parameter or variable, and the shape of its type. Of several statements of one shape in a module the
name holds which of how many it is: one more or less of them changes the names of all, so that none comes to mean another place unnoticed.
"""
import bisect
import hashlib
import re
from dataclasses import dataclass

from pyslang import ast

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|(?P<text>
    [a-zA-Z_][\w$]*  |  \$\w+  |  `\w+  |  \d*'[sS]?[bdohBDOH][0-9a-fA-F_xXzZ?]+  |  '[01xz](?!\w)  |  \d[\d_]*(?:\.\d+)?  |  "(?:\\.|[^"])*"
    |  <<<|>>>|===|!==|<<|>>|<=|>=|==|!=|&&|\|\||\+:|-:|::|\+\+|--|[-+*/&|^]=|'\{|.)""", re.VERBOSE | re.DOTALL)
KEYWORDS = set("""always always_comb always_ff assign automatic begin bit break byte case casez const continue default else end endcase endfunction
    endgenerate endmodule enum final for foreach forever function generate genvar if import initial inout input inside int integer localparam
    logic module negedge or output packed parameter posedge priority repeat return signed struct type typedef union unique unique0 unsigned
    var void while wire""".split())


def tokens_of(text):
    """[(start, end, text)] without white space and comments."""
    return [(match.start(), match.end(), match["text"]) for match in TOKEN.finditer(text) if match["text"] is not None]


def is_identifier(token):
    return re.match(r"[a-zA-Z_]", token) is not None and token not in KEYWORDS


def name_of(*parts):
    """31 bits in hexadecimal digits."""
    return f"{int(hashlib.sha1('|'.join(map(str, parts)).encode()).hexdigest()[:8], 16) & 0x7fffffff:08x}"


def roles_of(body, source):
    """{identifier: what its declaration in the module says of it}"""
    roles = {}
    for symbol in body:
        kind = type(symbol).__name__.removesuffix("Symbol")
        if isinstance(symbol, ast.PortSymbol):
            kind += str(symbol.direction).rsplit(".", 1)[-1]
        syntax = symbol.syntax
        declaration = syntax.parent if syntax is not None and syntax.parent is not None else None
        shape = ""
        if declaration is not None and isinstance(symbol, (ast.PortSymbol, ast.VariableSymbol, ast.NetSymbol)):
            text = source[declaration.sourceRange.start.offset:syntax.sourceRange.start.offset]
            tokens = [token for _, _, token in tokens_of(text) if token != ","]
            shape = " ".join("_" if is_identifier(token) else token for token in tokens[:40])
        if symbol.name not in roles or isinstance(symbol, ast.PortSymbol):
            roles[symbol.name] = f"{kind}{shape}"
    return roles


@dataclass
class Site:
    module: str
    start: int
    end: int
    node: object
    statement: str  # which it stands in, for readers
    line: int
    shape: str = ""
    known: dict = None  # identifiers of the statement: their numbers
    name: str = ""
    stuck_bit: int = None  # that is stuck in one of its mutants


class Sites:
    """The places of a module."""

    def __init__(self, module, source):
        self.module = module
        self.source = source
        self.tokens = tokens_of(source)
        self.starts = [token[0] for token in self.tokens]
        self.roles = {}
        self.by_span = {}
        self.by_name = {}

    def tokens_in(self, start, end):
        return self.tokens[bisect.bisect_left(self.starts, start):bisect.bisect_left(self.starts, end)]

    def canonical(self, tokens, known):
        """The tokens with identifiers as numbers; `known` gets those that are new in it."""
        shape = []
        for token in tokens:
            if is_identifier(token):
                shape.append(known.setdefault(token, f"{len(known)}{self.roles.get(token, '')}"))
            else:
                shape.append(token)
        return " ".join(shape)

    def add(self, node, start, end, path, statement):
        """The site of a node; `path` are spans or words around its statement, whose span is the last."""
        key = start, end, isinstance(node, ast.Statement)
        if key in self.by_span:
            return self.by_span[key]
        known, shape = {}, []
        for part in path:
            shape.append(part if isinstance(part, str) else self.canonical([text for _, _, text in self.tokens_in(*part)], known))
        first = self.tokens_in(*path[-1])[0][0]
        before, inside = len(self.tokens_in(first, start)), len(self.tokens_in(start, end))
        site = Site(self.module, start, end, node, statement, self.source.count("\n", 0, start) + 1,
                    f"{' / '.join(shape)} @ {before} {inside}", known)
        self.by_span[key] = site
        return site

    def finish(self):
        """Gives the sites their names."""
        by_shape = {}
        for site in sorted(self.by_span.values(), key=lambda site: (site.start, -site.end)):
            by_shape.setdefault(site.shape, []).append(site)
        for shape, here in by_shape.items():
            for n, site in enumerate(here):
                again = 0
                while not site.name or site.name in self.by_name:
                    site.name = name_of(shape, n, len(here), again)
                    again += 1
                self.by_name[site.name] = site

    def change(self, site, new):
        """What a change says, without names."""
        return self.canonical([text for _, _, text in tokens_of(new)], dict(site.known))

"""`finish` hands it a script of the site; back comes the same script with less white space and no comments.

rjsmin knows no template literal inside another one: behind the inner one's end it takes text for code, and
drops blanks of it. So literals that hold others are kept out of its sight.
"""

import re

import rjsmin

# What a scanner must know: where strings, comments and literals begin, and braces.
PIECES = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\\.|`|\$\{|[{}]|[^\\`"'{}/$]+|.""",
    re.DOTALL,
)


def minified(script: str) -> str:
    """A script that does the same. Regular expressions in it hold no quote or backtick unescaped."""
    kept: list[str] = []
    out, last = [], 0
    for start, end in nested_literals(script):
        out += [script[last:start], f"$kept{len(kept)}$"]
        kept.append(script[start:end])
        last = end
    shorter: str = rjsmin.jsmin("".join([*out, script[last:]]))
    for index, literal in enumerate(kept):
        shorter = shorter.replace(f"$kept{index}$", literal)
    return shorter


def nested_literals(script: str) -> list[tuple[int, int]]:
    """Where the outermost template literals stand that hold another one: from, and up to."""
    found: list[tuple[int, int]] = []
    inside: list[str] = []  # "`" in a literal's text, "{" in code between braces
    start, deepest = 0, 0
    for piece in PIECES.finditer(script):
        text, in_text = piece[0], inside[-1:] == ["`"]
        if text == "`":
            if in_text:
                inside.pop()
                if "`" not in inside and deepest > 1:
                    found.append((start, piece.end()))
            else:
                if "`" not in inside:
                    start, deepest = piece.start(), 0
                inside.append("`")
                deepest = max(deepest, inside.count("`"))
        elif (in_text and text == "${") or (not in_text and text in ("{", "${")):
            inside.append("{")
        elif text == "}" and not in_text and inside:
            inside.pop()
    return found

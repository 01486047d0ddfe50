"""What the constructs of a page look like: the part of Markdown that a check can understand."""

import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
EMBED = re.compile(r'^--8<-- "([^":]+)(?::([\w-]+))?"$')
DEFINITION = re.compile(r'^\[([^\]\n]+)\]: *(\S+)(?: +"(.*)")? *$', re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
DISPLAY_MATH = re.compile(r"^\$\$(.+?)\$\$ *$", re.DOTALL | re.MULTILINE)
MATH_WORDS = re.compile(r"\\(?:text|mathrm|operatorname|textbf|mathbf|mbox)\{([^{}]*)\}")
# Two numerals with nothing but space or braces between them, or a numeral that has a subscript.
GLUED = re.compile(
    r"\d(?:\\[,;:! ]|\\q?quad|[\s~])+\d"
    r"|\d\s*\{(?!,\})\s*\d"
    r"|(?<![A-Za-z}_^\]])\{\d+\}\s*\{?\d"
    r"|\d\s*_\s*\{?\s*\d"
)
INLINE_MATH = re.compile(r"(?<!\\)\$(?!\s)((?:\\.|[^\\$])+?)(?<!\s)\$")
HTML_TAG = re.compile(r"</?[A-Za-z](?:[^<>\n]|\n(?!\s*\n))*>|<https?://[^<>\s]+>")
TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)(?=[\s/>])")
SHOWN = re.compile(
    r"\b(?:title|alt|aria-[a-z]+|placeholder|value|label|srcdoc|start)\s*=\s*"
    r"(\"[^\"]*\"|'[^']*'|[^\s>]+)",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]+)\]")
# What may not follow a proven number: it would scale it, or be read as more of its digits.
CHANGES = re.compile(
    r"\s*(?:%|(?:dozen|hundred|thousand|[mbtr]+illion|[kKMGTPE]?i?B(?:/s)?|[TGP]?FLOP/s)\b)"
    r"|[\w]|[.,]?\[[^\]]*\d|[.,]\d"
)
SHORTCUT = re.compile(r"(?<!\])\[([^\[\]]+)\](?![\[(:])")
LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*")
BARE_URL = re.compile(r"https?://\S+")
ATTRIBUTES = re.compile(r"\{:?(?: ?(?:[#.][A-Za-z][\w-]*|[a-z-]+=(?:\"[^\"]*\"|[\w.-]+)))+ ?\}")
LIST_MARKER = re.compile(r"\d+\. ")
OTHER_NUMERALS = "".join(c for c in map(chr, range(128, 0x3000)) if c.isnumeric())  # ½, ³, Ⅻ
NUMERAL = re.compile(rf"\d(?:[\d.,]*\d)?|[{OTHER_NUMERALS}]+")
NOT_STOCK = re.compile(r"^ *(!!!|\?\?\?\+?|===!?\+?) ?[\w\"]", re.MULTILINE)

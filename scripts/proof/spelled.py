"""Numbers spelled as words: "thirty-two", "two hundred", "three quarters", "twice".

What judges pages reads them with `read_words`; `spell` writes a whole number in this way.
"""

import re

WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
ONES = WORD.findall(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
TENS = WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety")
PARTS = WORD.findall(
    "half third quarter fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
FEW = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "dozen": 12.0}
CARDINALS = {word: float(n) for n, word in enumerate(ONES)}
CARDINALS |= {word: 10.0 * n for n, word in enumerate(TENS, 2)}
CARDINALS |= {
    f"{ten}-{one}": 10.0 * n + m
    for n, ten in enumerate(TENS, 2)
    for m, one in enumerate(ONES[1:10], 1)
}
FRACTIONS = {word: 1.0 / n for n, word in enumerate(PARTS, 2)}
FRACTIONS |= {f"{word}s": value for word, value in FRACTIONS.items()} | {"halves": 0.5}
FRACTIONS |= {"hundredth": 0.01, "hundredths": 0.01, "thousandth": 1e-3, "thousandths": 1e-3}


def read_words(text: str) -> tuple[int, int, float] | None:
    """(start, end, value) of the first number spelled in a text; None where there is none."""
    words = []
    for match in WORD.finditer(text):
        first, dash, part = match[0].lower().rpartition("-")
        whole, (start, end) = match[0].lower(), match.span()
        if dash and first in CARDINALS and part in FRACTIONS:  # "two-thirds"
            words += [(first, start, start + len(first)), (part, start + len(first) + 1, end)]
        else:
            words.append((whole, start, end))
    for index, (word, start, end) in enumerate(words):
        if word in FEW:
            return start, end, FEW[word]
        if word in FRACTIONS and word not in ("second", "seconds"):
            return start, end, FRACTIONS[word]
        if word not in CARDINALS and word not in LARGE:
            continue
        total, group, last = 0.0, CARDINALS.get(word, 1.0), end
        rest = words[index + 1 :] if word in CARDINALS else words[index:]
        for after, _, close in rest:
            if after in FRACTIONS:
                return start, close, (total + group) * FRACTIONS[after]
            if after == "hundred":
                group *= 100
            elif after in LARGE:
                total, group = total + group * LARGE[after], 0.0
            elif after in CARDINALS and (total or group >= 100):
                group += CARDINALS[after]
            elif after != "and":
                break
            if after != "and":
                last = close
        return start, last, total + group
    return None


def spell(value: float) -> str:
    """A whole number below a million in words. Raises ValueError for others."""
    if value != int(value) or not 0 <= value < 10**6:
        raise ValueError(f"{value} is no small whole number")
    number = int(value)
    if number < 20:
        return ONES[number]
    if number < 100:
        ten, one = divmod(number, 10)
        return TENS[ten - 2] + (f"-{ONES[one]}" if one else "")
    name, size = ("hundred", 100) if number < 1000 else ("thousand", 1000)
    many, rest = divmod(number, size)
    return f"{spell(many)} {name}" + (f" {spell(rest)}" if rest else "")

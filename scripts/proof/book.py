"""What the engine is told about a book: it knows nothing else of it.

Whoever judges pages makes one Book and passes it to `check_page`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scripts.core.cache import Cache
from scripts.proof.evaluate import Evaluator
from scripts.proof.programs import Programs


@dataclass(eq=False)
class Book:
    """`root`: where pages, programs and tables lie; `names`: what may hold numerals (FP16, H100).

    `units`: the unit of each field and function whose name does not say it. `render`: Markdown to
    HTML as the site makes it, before it adds anything of its own.
    """

    root: Path
    evaluator: Evaluator
    cache: Cache
    programs: Programs
    names: Iterable[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    render: Callable[[str], str] | None = None
    rendering: str = ""  # changes whenever `render` would give something else

    @cached_property
    def name_pattern(self) -> re.Pattern[str]:
        """Matches each name, whole."""
        ordered = sorted(self.names, key=len, reverse=True)
        alternatives = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in ordered)
        return re.compile(
            rf"(?<![\w.])(?:{alternatives or r'(?!)'})(?![\w%]|\s+(?:hundred|thousand|[mbtr]+illion)\b)"
        )

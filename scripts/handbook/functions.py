"""Run the worked examples in the docstrings of snippets, and list the functions for readers."""

import contextlib
import doctest
import inspect
import io
from pathlib import Path
from types import FunctionType, ModuleType

import snippets
from scripts.core.cache import Cache
from scripts.core.faults import Fault
from scripts.core.freshness import files_digest
from scripts.proof.namespace import modules_of, path_of

ROOT = Path(snippets.__file__).resolve().parents[1]
HEADING = "## `{module}`\n"


def check_examples(cache: Cache | None = None) -> tuple[int, list[Fault]]:
    """(examples run, faults) of the docstrings of all snippets. Each public function must have some.

    Those of sources that were found without fault are not run again.
    """
    key = files_digest(ROOT, ["snippets"])
    if cache and (known := cache.get("examples", key)):
        return int(known), []
    count = 0
    faults: list[Fault] = []
    for module in modules_of(snippets):
        path = path_of(module)
        for function in _public(module):
            if ">>> " not in (function.__doc__ or ""):
                line = function.__code__.co_firstlineno
                message = f"{function.__name__} has no worked example"
                remedy = "add one to its docstring: >>> call, and what it gives"
                faults.append(Fault(path, line, message, remedy))
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
            printed = io.StringIO()
            runner = doctest.DocTestRunner(verbose=False)
            with contextlib.redirect_stdout(printed):
                runner.run(test, out=printed.write)
            count += len(test.examples)
            if runner.failures:
                message = f"the worked example of {test.name} gives something else"
                remedy = "correct the function, or its docstring"
                line = (test.lineno or 0) + 1
                faults.append(Fault(path, line, message, remedy, printed.getvalue()))
    if cache and not faults:
        cache.put("examples", key, count)
    return count, faults


def functions_table() -> str:
    """Markdown: each public function with its signature and docstring, by module."""
    parts = []
    for module in modules_of(snippets):
        functions = _public(module)
        if functions:
            parts.append(HEADING.format(module=path_of(module)))
            parts += [_entry(function) for function in functions]
    return "\n".join(parts)


def _public(module: ModuleType) -> list[FunctionType]:
    functions = [
        value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_"
    ]
    return sorted(functions, key=lambda function: function.__code__.co_firstlineno)


def _entry(function: FunctionType) -> str:
    signature = f"{function.__name__}{inspect.signature(function)}"
    document = inspect.cleandoc(function.__doc__ or "")
    return f"```pycon\n{signature}\n\n{document}\n```\n"

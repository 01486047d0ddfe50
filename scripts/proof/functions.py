"""Run the worked examples in the docstrings of snippets, and list the functions for readers."""

import contextlib
import doctest
import inspect
import io
from pathlib import Path
from types import FunctionType, ModuleType

from scripts.core.faults import Fault
from scripts.proof.evaluate import load_snippet, snippet_modules

HEADING = "## `{module}`\n"


def check_examples(root: Path) -> tuple[int, list[Fault]]:
    """(examples run, faults) of the docstrings of all snippets. Each public function must have some."""
    count, faults = 0, []
    for name in snippet_modules():
        module = load_snippet(name)
        path = _path(module, root)
        for function in _public(module):
            if ">>> " not in (function.__doc__ or ""):
                faults.append(
                    Fault(
                        path,
                        function.__code__.co_firstlineno,
                        f"{function.__name__} has no worked example",
                        "add one to its docstring: >>> call, and what it gives",
                    )
                )
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
            printed = io.StringIO()
            runner = doctest.DocTestRunner(verbose=False)
            with contextlib.redirect_stdout(printed):
                runner.run(test, out=printed.write)
            count += len(test.examples)
            if runner.failures:
                faults.append(
                    Fault(
                        path,
                        (test.lineno or 0) + 1,
                        f"the worked example of {test.name} gives something else",
                        "correct the function, or its docstring",
                        printed.getvalue(),
                    )
                )
    return count, faults


def functions_table(root: Path) -> str:
    """Markdown: each public function with its signature and docstring, by module."""
    parts = []
    for name in snippet_modules():
        module = load_snippet(name)
        functions = _public(module)
        if functions:
            parts.append(HEADING.format(module=_path(module, root)))
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


def _path(module: ModuleType, root: Path) -> str:
    file = Path(str(module.__file__)).resolve()
    return (
        file.relative_to(root.resolve()).as_posix()
        if file.is_relative_to(root.resolve())
        else str(file)
    )

"""A key holds while nothing that counts has changed: not where code stands, nor what explains it."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import experiments
from scripts.core.cache import Cache
from scripts.core.freshness import Modules, environment, files_digest, key

ROOT = Path(__file__).parents[2]
A = '''"""Explains."""

from typing import TYPE_CHECKING

from scripts.room import b
from scripts.room.c import twice as double
from snippets.d import half

if TYPE_CHECKING:
    from scripts.unseen import Unseen

WORKER = "scripts.room.worker"
DATA = "docs/data/cards.json"
PAGE = "snippets/page.js"


def f(x: "Unseen") -> float:
    """Explains."""
    return b.plus(double(x)) + half(x)  # as a comment
'''
FILES = {
    "scripts/a.py": A,
    "scripts/room/__init__.py": "",
    "scripts/room/b.py": "def plus(x):\n    return x + 1\n",
    "scripts/room/c.py": "def twice(x):\n    return 2 * x\n\n\ndef other(x):\n    return 3 * x\n",
    "scripts/room/worker.py": "STEPS = 3\n",
    "snippets/page.js": "let x = 1\n",
    "scripts/unseen.py": "class Unseen:\n    size = 1\n",
    "snippets/d.py": "def half(x):\n    return x / 2\n",
    "snippets/__init__.py": "",
    "snippets/unnamed.py": "FIVE = 5\n",
    "docs/data/cards.json": "{}",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def change(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text()
    assert old in text
    (tree / name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "counts"),
    [
        ("scripts/a.py", "# as a comment", "# as another", False),
        ("scripts/a.py", "Explains.", "Says more.", False),
        ("scripts/a.py", "+ half", "- half", True),
        (
            "scripts/room/c.py",
            "def twice(x):\n",
            'def twice(x):\n    """Now explained."""\n',
            False,
        ),
        ("scripts/a.py", "twice as double", "other as double", True),
        ("scripts/room/b.py", "x + 1", "x + 2", True),
        ("scripts/room/b.py", "x + 1", "(x  +  1)", False),
        ("scripts/room/worker.py", "3", "4", True),
        ("scripts/unseen.py", "1", "2", False),
        ("snippets/d.py", "/", "//", True),
        ("docs/data/cards.json", "{}", "[]", True),
        ("snippets/page.js", "1", "2", True),
        ("snippets/unnamed.py", "5", "6", False),
    ],
)
def test_what_counts(tree: Path, name: str, old: str, new: str, counts: bool) -> None:
    before = Modules(tree).digest("scripts.a")
    change(tree, name, old, new)
    assert (Modules(tree).digest("scripts.a") != before) is counts


def test_who_imports_a_whole_package_depends_on_all_its_modules(tree: Path) -> None:
    change(tree, "scripts/room/c.py", "def twice", "import snippets\n\n\ndef twice")
    before = Modules(tree).digest("scripts.a")
    change(tree, "snippets/unnamed.py", "5", "6")
    assert Modules(tree).digest("scripts.a") != before


def moved_module(tree: Path) -> None:
    (tree / "scripts/house").mkdir()
    (tree / "scripts/room/b.py").rename(tree / "scripts/house/zebra.py")
    change(
        tree, "scripts/a.py", "from scripts.room import b\n", "from scripts.house import zebra\n"
    )
    change(tree, "scripts/a.py", "b.plus", "zebra.plus")


def kept_alias(tree: Path) -> None:
    (tree / "scripts/room/b.py").rename(tree / "scripts/e.py")
    change(tree, "scripts/a.py", "from scripts.room import b\n", "from scripts import e as b\n")


def renamed_room(tree: Path) -> None:
    (tree / "scripts/room").rename(tree / "scripts/zoo")
    change(tree, "scripts/a.py", "scripts.room", "scripts.zoo")


def sorted_anew(tree: Path) -> None:
    change(tree, "scripts/a.py", "from snippets.d import half\n", "")
    change(tree, "scripts/a.py", "from scripts.room import b\n",
           "from snippets.d import half\nfrom scripts.room import b\n")  # fmt: skip


@pytest.mark.parametrize("move", [moved_module, kept_alias, renamed_room, sorted_anew])
def test_moving_is_free(tree: Path, move: Callable[[Path], None]) -> None:
    modules = Modules(tree)
    before, closure = modules.digest("scripts.a"), len(modules.imported("scripts.a"))
    move(tree)
    after = Modules(tree)
    assert len(after.imported("scripts.a")) == closure == 5
    assert after.digest("scripts.a") == before


def test_swapping_two_modules_counts(tree: Path) -> None:
    before = Modules(tree).digest("scripts.a")
    change(tree, "scripts/room/c.py", "other", "plus")
    between = Modules(tree).digest("scripts.a")
    change(
        tree, "scripts/a.py", "from scripts.room import b\n", "from scripts.room import c as b\n"
    )
    assert len({before, between, Modules(tree).digest("scripts.a")}) == 3


def test_a_program_counts_to_the_letter(tree: Path) -> None:
    program = "from snippets.d import half\n\nprint(half(3))\n"
    before = Modules(tree).source_digest(program)
    assert Modules(tree).source_digest(program + "# seen by readers\n") != before
    change(tree, "snippets/d.py", "def half", "# nobody sees this\ndef half")
    assert Modules(tree).source_digest(program) == before
    change(tree, "snippets/d.py", "2", "4")
    assert Modules(tree).source_digest(program) != before


def test_what_was_read_is_remembered(tree: Path) -> None:
    cache = Cache(tree / ".cache")
    before = Modules(tree, cache).digest("scripts.a")
    cache.save()
    again = Cache(tree / ".cache")
    assert Modules(tree, again).digest("scripts.a") == before
    change(tree, "scripts/room/c.py", "2 *", "4 *")
    assert Modules(tree, again).digest("scripts.a") != before


def test_keys_of_files_and_environment(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_digest(tree, ["docs", "missing.txt"])
    (tree / "docs/data/cards.json").rename(tree / "docs/data/chips.json")
    assert files_digest(tree, ["docs", "missing.txt"]) != before
    monkeypatch.delenv("REPO_URL", raising=False)
    unset = key(asked=environment("REPO_URL"))
    monkeypatch.setenv("REPO_URL", "https://example.org/x")
    assert key(asked=environment("REPO_URL")) != unset


def test_in_a_copy_every_module_moves_freely_and_every_operator_counts(tmp_path: Path) -> None:
    """The whole house: all rooms but those of experiments renamed, then one operator changed."""
    for package in ("scripts", "snippets"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__py*"))
    measured = [name for name in experiments.names() if experiments.part(name, "measure")]
    entries = [experiments.module_name(name, "measure") for name in measured]
    modules = Modules(tmp_path)
    before = {entry: modules.digest(entry) for entry in entries}
    rooms = [path for path in (tmp_path / "scripts").iterdir() if path.is_dir()]
    moved = [room for room in rooms if room.name != "experiments"]
    names = re.compile(rf"(?<=scripts\.)({'|'.join(room.name for room in moved)})\b")
    for file in tmp_path.rglob("*.py"):
        file.write_text(names.sub(r"the_\1", file.read_text()))
    for room in moved:
        room.rename(room.with_name(f"the_{room.name}"))
    modules = Modules(tmp_path)
    assert {entry: modules.digest(entry) for entry in entries} == before
    for entry in entries:
        last = max(modules.imported(entry))
        path = tmp_path / (last.replace(".", "/") + ".py")
        path = path if path.exists() else path.with_suffix("") / "__init__.py"
        text = path.read_text()
        path.write_text(text + "\nADDED = 1 + 1\n")
        assert Modules(tmp_path).digest(entry) != before[entry]
        path.write_text(text)

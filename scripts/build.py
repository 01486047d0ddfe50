"""Measure what is stale, render, bring the chapters in step, build the site. `--check` only looks."""

import argparse
import difflib
import importlib.metadata
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts import exhibits  # noqa: E402
from scripts.core.cache import Cache  # noqa: E402
from scripts.core.faults import BadInput, Fault  # noqa: E402
from scripts.core.files import remove_unfinished, write_bytes  # noqa: E402
from scripts.core.freshness import files_digest  # noqa: E402
from scripts.core.summary import Summary  # noqa: E402
from scripts.devices import device as devices  # noqa: E402
from scripts.devices.not_run import too_small_or_old  # noqa: E402
from scripts.exhibits import this_machine  # noqa: E402
from scripts.experiments import measurement as measure  # noqa: E402
from scripts.proof import labs  # noqa: E402
from scripts.proof.evaluate import Evaluator  # noqa: E402
from scripts.proof.sync import Counts, Result, page_paths, synchronize  # noqa: E402
from scripts.records import record as records  # noqa: E402
from scripts.site.count import compare_with_site  # noqa: E402
from scripts.site.site import build_site, is_built  # noqa: E402
from scripts.site.typeset import check_formulas  # noqa: E402

PASSES = 3  # a rewritten page changes the ledger, which lists what pages say
ABSENT_LOCALLY = "docs/reference/this-machine.md"


def build(arguments: argparse.Namespace, root: Path = ROOT) -> int:
    """Do what the command line asks for. Returns the exit status; raises BadInput."""
    cache = Cache(root / ".cache")
    summary = Summary()
    chosen = _choose(arguments.only, root)
    if arguments.list:
        return _list(root)
    if arguments.check:
        return _check(root, cache, chosen)
    device = (
        None if arguments.no_measure or not chosen.experiments else devices.detect(arguments.device)
    )
    if _nothing_to_do(root, cache, arguments, device):
        print("nothing to do: records, pages and site/ are what these sources give on this machine")
        return 0
    remove_unfinished(root / "docs")
    began = time.monotonic()
    if not _known_clean(root, cache):
        first = _synchronize(root, cache, chosen)
        if first.broken:  # nothing is measured or written while something needs a person
            return _report(first.broken)
        summary.time("check sources", _counted(first.counts), began)
    complete = True
    if device:
        complete = _measure(arguments, root, device, chosen.experiments, summary)
    if arguments.publish:
        for name in chosen.experiments:
            if measure.local_path(root, name).is_file():
                print(f"published {measure.publish(root, name).relative_to(root)}")
    began = time.monotonic()
    written = _write_local(root)
    result = None if _known_clean(root, cache) else _rewrite(root, cache, chosen, written)
    if result and result.faults:
        return _report(result.faults)
    summary.time("rewrite", ", ".join(sorted(set(written))) or "nothing to rewrite", began)
    if not arguments.only:
        cache.put("clean", "inputs", _inputs(root))
    status = 0 if arguments.no_site else _build_site(arguments, root, cache, result, summary)
    if status == 0 and complete:
        cache.put("done", "state", _state(root, arguments, device))
    cache.save()
    summary.show()
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """The one command line. Faults are printed, each with its place and its remedy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; a diff for each fault")
    parser.add_argument("--only", action="append", metavar="NAME", help="one experiment or page")
    parser.add_argument("--list", action="store_true", help="what --only can name, and its state")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda[:N]")
    parser.add_argument("--preset", choices=measure.PRESETS, default="quick")
    parser.add_argument("--force", action="store_true", help="measure and build again")
    parser.add_argument("--no-measure", action="store_true", help="use the records that are there")
    parser.add_argument("--no-site", action="store_true", help="leave site/ as it is")
    parser.add_argument("--publish", action="store_true", help="publish this machine's records")
    arguments = parser.parse_args(argv)
    try:
        return build(arguments)
    except BadInput as error:
        return _report([error.fault])
    except KeyboardInterrupt:
        print("interrupted: finished samples are kept, nothing is half-written", file=sys.stderr)
        return 130


@dataclass(frozen=True)
class Choice:
    """What --only selected: experiments to measure, and which files are judged."""

    experiments: tuple[str, ...]
    wants: Callable[[str], bool]


def _choose(only: Sequence[str] | None, root: Path) -> Choice:
    experiments = tuple(measure.experiments())
    if not only:
        return Choice(experiments, lambda path: True)
    pages = page_paths(root)
    by_name = {name: page for page in pages for name in (page, Path(page).stem, Path(page).name)}
    chosen: list[str] = []
    wanted: set[str] = set()
    for name in only:
        if name in experiments:
            chosen.append(name)
        elif name in by_name:
            page = by_name[name]
            number = Path(page).stem[:2]
            wanted |= {page, "docs/tables/ledger.md", f"docs/tables/{number}-references.md"}
            wanted |= {labs.notebook_path(page)} if labs.is_lab(page) else set()
        else:
            close = difflib.get_close_matches(name, [*experiments, *by_name], n=3, cutoff=0.5)
            raise BadInput(
                f"--only {name}",
                0,
                "no experiment or page is called that",
                f"did you mean {' or '.join(close)}?" if close else "see scripts/build.py --list",
            )
    if chosen:
        return Choice(tuple(chosen), lambda path: True)
    return Choice((), wanted.__contains__)


def _synchronize(root: Path, cache: Cache, chosen: Choice) -> Result:
    result = synchronize(root, cache, wanted=chosen.wants)
    faults = check_formulas(result.pages, cache)
    result.broken += [fault for fault in faults if chosen.wants(fault.path)]
    return result


def _check(root: Path, cache: Cache, chosen: Choice) -> int:
    began = time.monotonic()
    result = _synchronize(root, cache, chosen)
    cache.save()
    print(f"{_counted(result.counts)}: {time.monotonic() - began:.1f} s")
    return _report(result.faults) if result.faults else 0


def _measure(
    arguments: argparse.Namespace,
    root: Path,
    device: devices.Device,
    names: Sequence[str],
    summary: Summary,
) -> bool:
    """Measure what is stale; whether the device could run all of it."""
    complete = True
    for name in names:
        began = time.monotonic()
        if missing := measure.missing_files(name, root=root):
            summary.time(f"measure {name}", f"not run: {', '.join(missing)} is not there", began)
            continue
        try:
            _, did = measure.measure(
                name, device=device, preset=arguments.preset, root=root, force=arguments.force
            )
        except (MemoryError, RuntimeError) as error:
            reason = too_small_or_old(error)
            if reason is None:
                raise
            summary.time(f"measure {name}", f"not run: {reason}", began)
            complete = False
        else:
            summary.time(f"measure {name}", f"{did} on {device.slug}", began)
    return complete


def _inputs(root: Path) -> str:
    return f"{sys.version} {files_digest(root, ('docs', 'snippets', 'scripts', 'pyproject.toml'))}"


def _state(root: Path, arguments: argparse.Namespace, device: devices.Device | None) -> list[str]:
    """All that a build depends on, in the few words that tell whether there is anything to do."""
    asked = [arguments.only, arguments.preset, arguments.no_site, arguments.publish]
    where = device.identity if device else None
    return [_inputs(root), str(asked), str(where), importlib.metadata.version("torch")]


def _nothing_to_do(
    root: Path, cache: Cache, arguments: argparse.Namespace, device: devices.Device | None
) -> bool:
    if arguments.force or arguments.publish:
        return False
    if cache.get("done", "state") != _state(root, arguments, device):
        return False
    return bool(arguments.no_site or is_built(root, cache))


def _known_clean(root: Path, cache: Cache) -> bool:
    """Whether these very sources have been checked whole and found without fault."""
    return bool(cache.get("clean", "inputs") == _inputs(root))


def _rewrite(root: Path, cache: Cache, chosen: Choice, written: list[str]) -> Result:
    """Write what is stale until nothing is. `written` gets the paths."""
    for _ in range(PASSES):
        result = _synchronize(root, cache, chosen)
        if result.broken or not result.files:
            break
        for path, data in result.files.items():
            write_bytes(root / path, data, name=path)
            written.append(path)
    return result


def _write_local(root: Path) -> list[str]:
    local = {}
    for path in sorted((root / records.RECORDS / records.LOCAL).glob("*.json")):
        record = records.read_record(path)
        local[record.experiment] = record
    written = []
    made = this_machine.render(local, records.read_all(root))
    evaluator = Evaluator({record.key: record for record in local.values()}, {})
    made |= exhibits.local_tables(evaluator, lambda origin: {})
    for old in (root / "docs/tables/local").glob("*"):
        if f"tables/local/{old.name}" not in made:  # its record is gone, or shows it no more
            old.unlink()
    for name, data in made.items():
        file = root / "docs" / name
        if not file.is_file() or file.read_bytes() != data:
            write_bytes(file, data, name=f"docs/{name}")
            written.append(f"docs/{name}")
    return written


def _build_site(
    arguments: argparse.Namespace,
    root: Path,
    cache: Cache,
    result: Result | None,
    summary: Summary,
) -> int:
    began = time.monotonic()
    if is_built(root, cache) and not arguments.force:
        summary.time("site", "up to date", began)
        return 0
    cache.save()  # what was typeset here need not be there, in MkDocs' process
    build_site(root, cache)
    result = result or synchronize(root, cache)
    totals, faults = compare_with_site(root / "site", result.pages, uncounted=(ABSENT_LOCALLY,))
    if faults:
        return _report(faults)
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.items()))
    summary.time("site", f"built, shows {shown}", began)
    return 0


def _list(root: Path) -> int:
    device = devices.detect("auto")
    for name in measure.experiments():
        path = measure.local_path(root, name)
        missing = measure.missing_files(name, root=root)
        state = "measured here" if path.is_file() else "not measured here"
        state = f"waits for {', '.join(missing)}" if missing else state
        print(f"{name:24} experiment, {state} ({device.slug})")
    for page in page_paths(root):
        print(f"{Path(page).stem:24} page {page}")
    return 0


def _counted(counts: Counts) -> str:
    return (
        f"{counts.pages} pages: {counts.numbers} numbers, {counts.formulas} formulas, "
        f"{counts.fences} fences ({counts.run} run, {counts.printed} outputs), "
        f"{counts.examples} worked examples, {counts.records} records, "
        f"{counts.rendered} tables and figures checked"
    )


def _report(faults: Sequence[Fault]) -> int:
    for fault in faults:
        print(f"{fault}\n", file=sys.stderr)
    plural = "fault" if len(faults) == 1 else "faults"
    print(f"{len(faults)} {plural}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""Render, bring the chapters in step, build the site; measure where asked to. `--check` only looks."""

import argparse
import difflib
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import snippets  # noqa: E402
from scripts import exhibits  # noqa: E402
from scripts.core.cache import Cache  # noqa: E402
from scripts.core.faults import BadInput, Fault  # noqa: E402
from scripts.core.files import remove_unfinished, write_bytes  # noqa: E402
from scripts.core.lock import locked  # noqa: E402
from scripts.core.steps import step  # noqa: E402
from scripts.devices import device as devices  # noqa: E402
from scripts.devices.not_run import release, too_small_or_old  # noqa: E402
from scripts.exhibits import this_machine  # noqa: E402
from scripts.experiments import RANKS  # noqa: E402
from scripts.experiments import measurement as measure  # noqa: E402
from scripts.handbook import lab_source  # noqa: E402
from scripts.handbook.checking import Counts, Result, synchronize  # noqa: E402
from scripts.handbook.this_book import page_paths  # noqa: E402
from scripts.proof.evaluate import Evaluator  # noqa: E402
from scripts.proof.namespace import names_of  # noqa: E402
from scripts.records import record as records  # noqa: E402
from scripts.site import lab_runs  # noqa: E402
from scripts.site.site import build_site, inputs, outputs  # noqa: E402
from scripts.site.typeset import check_formulas  # noqa: E402

PASSES = 3  # a rewritten page changes the ledger, which lists what pages say
NOTHING_TO_DO = "nothing to do: pages and site/ are what these sources give"


def build(arguments: argparse.Namespace, root: Path = ROOT) -> int:
    """Do what the command line asks for. Returns the exit status; raises BadInput."""
    cache = Cache(root / ".cache")
    chosen = _choose(arguments.only, root)
    if arguments.list:
        return _list(root)
    if arguments.check:
        return _check(root, cache, chosen)
    with locked(root / ".cache/lock"):
        return _build(arguments, root, Cache(root / ".cache"), chosen)


def _build(arguments: argparse.Namespace, root: Path, cache: Cache, chosen: "Choice") -> int:
    """Measure where that is asked for, check and rewrite the sources, and build the site."""
    measuring = _measuring(arguments, chosen)
    failed: list[Fault] = []
    known: dict[str, str] = cache.get("build", "state") or {}
    now = {"checked": inputs(root)}
    if not arguments.no_site:
        now |= {"built": now["checked"], "shown": outputs(root)}
    if now.items() <= known.items() and not (arguments.force or arguments.publish or measuring):
        print(NOTHING_TO_DO)
        return 0
    remove_unfinished(root / "docs")
    if measuring:
        checked = _synchronize(root, cache, chosen)
        if checked.broken:  # nothing is measured while something needs a person
            return _report(checked.broken)
        device = devices.detect(arguments.device or "auto")
        failed = _measure(arguments, root, device, chosen.experiments)
    if arguments.publish:
        failed += _publish(arguments, root, chosen.experiments)
    with step("check and render the sources") as said:
        written = _write_local(root)
        result = _rewrite(root, cache, chosen, written)
        said.did = _counted(result.counts) + "".join(f"\n    wrote {path}" for path in written)
    if result.faults:
        return _report([*failed, *result.sorted_faults])
    if not arguments.no_site:
        for path in lab_runs.stale(root):
            with step(f"run {path}, whose published outputs are stale") as said:
                said.did = lab_runs.run(path, root)
        with step("build the site") as said:
            said.did = build_site(root, cache, result.pages)
        known |= {"built": inputs(root), "shown": outputs(root)}
    if not arguments.only:
        cache.put("build", "state", known | {"checked": inputs(root)})
    cache.save(prune=not arguments.only)
    return _report(failed) if failed else 0


def _measuring(arguments: argparse.Namespace, chosen: "Choice") -> bool:
    """Whether anything is to be measured: that is asked for by itself, or by how or what."""
    if arguments.measure is not None:
        return bool(arguments.measure)
    named = arguments.only and chosen.experiments and not arguments.publish
    return bool(arguments.device or arguments.preset or named)


def main(argv: Sequence[str] | None = None) -> int:
    """The one command line. Faults are printed, each with its place and its remedy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; a diff for each fault")
    parser.add_argument("--only", action="append", metavar="NAME", help="one experiment or page")
    parser.add_argument("--list", action="store_true", help="what --only can name, and its state")
    parser.add_argument(
        "--measure", action=argparse.BooleanOptionalAction, help="measure this machine first"
    )
    parser.add_argument("--device", help="measure on: auto, cpu or cuda[:N]")
    parser.add_argument("--preset", choices=measure.PRESETS, help="measure so thoroughly")
    parser.add_argument("--force", action="store_true", help="measure or build again")
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
        if name.removesuffix(RANKS) in experiments:
            chosen.append(name)
        elif name in by_name:
            page = by_name[name]
            number = Path(page).stem.partition("-")[0]
            wanted |= {page, "docs/tables/ledger.md", f"docs/tables/{number}-references.md"}
            wanted |= {lab_source.notebook_path(page)} if lab_source.is_lab(page) else set()
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
    result.faults += [fault for fault in faults if chosen.wants(fault.path)]
    return result


def _check(root: Path, cache: Cache, chosen: Choice) -> int:
    with step("check the sources") as said:
        result = _synchronize(root, cache, chosen)
        said.did = _counted(result.counts)
    cache.save()
    return _report(result.sorted_faults) if result.faults else 0


def _measure(
    arguments: argparse.Namespace, root: Path, device: devices.Device, names: Sequence[str]
) -> list[Fault]:
    """Measure what is stale, as far as the device can run it; what failed. None stops the others."""
    failed: list[Fault] = []
    for name in names:
        with step(f"measure {name}{_about(name, arguments, device)}") as said:
            if missing := measure.missing_files(name, root=root):
                said.did = f"not run: {', '.join(missing)} is not there"
                continue
            preset, force = arguments.preset or "quick", arguments.force
            try:
                _, did = measure.measure(name, device=device, preset=preset, root=root, force=force)
                said.did = f"{did} on {device.slug}"
            except Exception as error:  # of any kind: hours of others wait behind it
                if reason := too_small_or_old(error):
                    said.did = f"not run: {reason}"
                else:
                    failed.append(_failure(name, error))
                    said.did = f"failed: {failed[-1].message}"
        release(device)
    return failed


def _about(name: str, arguments: argparse.Namespace, device: devices.Device) -> str:
    preset = arguments.preset or "quick"
    seconds = measure.expected_seconds(name, device=device, preset=preset)
    return "" if seconds is None else f", about {max(1, round(seconds / 60))} min if not yet done"


def _failure(name: str, error: Exception) -> Fault:
    """What ended an experiment, at the line where it did."""
    if isinstance(error, BadInput):
        return error.fault
    traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = (str(error).strip().splitlines() or [""])[0]
    return Fault(
        frame.filename,
        frame.lineno or 0,
        f"{name}: {type(error).__name__}: {said}",
        "this is a fault of ours: report it with what stands above; "
        "the same command goes on with what is missing",
    )


def _publish(arguments: argparse.Namespace, root: Path, names: Sequence[str]) -> list[Fault]:
    """Publish the local records; what is refused. None keeps the others back."""
    refused: list[Fault] = []
    ranks = () if arguments.only else (f"{name}{RANKS}" for name in names)
    for name in (*names, *ranks):
        if not measure.local_path(root, name).is_file():
            continue
        try:
            if key := measure.published_elsewhere(root, name):
                print(f"{name} depends on no device and is published as {key}")
            else:
                print(f"published {measure.publish(root, name).relative_to(root)}")
        except BadInput as error:
            refused.append(error.fault)
    return refused


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
    evaluator = Evaluator(names_of(snippets), {record.key: record for record in local.values()}, {})
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

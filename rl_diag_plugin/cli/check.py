"""``rl-diag check``: diagnose runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from . import COMMANDS
from .errors import Refused, Stopped, complain
from .exits import FAIL_ON, exit_code
from .progress import Progress
from .streams import emit, emit_bytes, screen

if TYPE_CHECKING:
    from ..api import Examination
    from ..authoring import Rule
    from ..model import Item

_COMPLAINTS = 10  # named inputs that gave no report, each said in full


@click.command("check", short_help=COMMANDS["check"])
@click.argument("paths", nargs=-1, metavar="PATH…")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="JSON is stable, text is not."
)
@click.option("--select", multiple=True, metavar="IDS", help="Only these rules: ids, chapters or globs, with commas between.")
@click.option("--ignore", multiple=True, metavar="IDS", help="Not these rules.")
@click.option("--limit", multiple=True, metavar="R=W[:E[:C]]", help="A rule's own limits: warning:error:critical.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), default="error", show_default=True, help="Exit 1 at this severity or a worse one.")
@click.option("--config", metavar="FILE", help="The run's configuration, where it does not lie beside the log.")
@click.option("--set", "set_", multiple=True, metavar="SETTING=VALUE", help="A setting the configuration lacks, e.g. max_new_tokens=1024.")
@click.option("--map", "map_", multiple=True, metavar="KEY=METRIC", help="Read a key of your own, e.g. my/reward=rollout/reward.")
@click.option("--framework", metavar="NAME[==VERSION]", help="The trainer, where it is not recognised.")
@click.option("--run", metavar="REGEX", help="Only runs whose name matches.")
@click.option("--since", type=int, metavar="STEP", help="Only rows from this step on.")
@click.option("--until", type=int, metavar="STEP", help="Only rows up to this step.")
@click.option("--quiet", "-q", is_flag=True, help="One line a finding.")
@click.option("--verbose", "-v", is_flag=True, help="All evidence, causes, reasons, runs and keys.")
@click.option("--plain", is_flag=True, help="No marks and curves, one statement a line, for screen readers.")
def command(paths: tuple[str, ...], form: str, fail_on: str, quiet: bool, verbose: bool, plain: bool, **given: Any) -> int:
    """Diagnose files, run directories, or directories of runs; - reads JSON lines from standard input.

    Exit code: 0 nothing active at --fail-on, 1 something is, 2 an input or option that cannot be used, 130 interrupted.

    \b
      rl-diag check ./runs
      rl-diag check ./runs/a --fail-on warning --limit truncated-responses=0.05:0.1
      rl-diag check - --map score=rollout/reward < log.jsonl
    """
    if not paths:
        raise Refused("no path given\nexpected a file, a run's directory or a directory of runs: rl-diag check ./runs")
    examination = examined(paths, given)
    code = exit_code(examination.reports, bool(examination.errors), fail_on)
    if form == "json":
        _emit_json(examination, given["select"], given["ignore"])
    elif examination.reports:
        from ..sinks.terminal import Options, render

        shape = screen(plain=plain)
        how = Options(shape.width, shape.colour, shape.ascii, shape.plain, quiet, verbose, code, paths)
        emit(render(examination.reports, examination.failed, how))
    complain_of(examination.errors)
    return code


def examined(paths: Sequence[str], given: dict[str, Any]) -> Examination:
    """Everything below the paths, read and judged. Raises Refused for an option and Stopped for Ctrl-C."""
    progress = Progress()
    try:
        from ..api import examine
        from ..sources import UnreadableError
        from .settings import options

        asked = options(**given)
        with progress:
            found = examine(paths, asked, progress, _stdin() if "-" in paths else None)
    except KeyboardInterrupt:
        read = f"{progress.done:,} of {progress.all:,} files read, " if progress.all else ""
        raise Stopped(f"stopped: {read}no report written") from None
    except UnreadableError as error:
        raise Refused(str(error)) from None
    except KeyError as error:
        # A key that no run has is known only after reading; any other KeyError is a fault of ours.
        if not str(error.args[0]).startswith("--map "):
            raise
        raise Refused(str(error.args[0])) from None
    if not found.reports and not found.failed:
        raise Refused(f"no run below {', '.join(paths)} matches --run {asked.run}")
    return found


def complain_of(errors: Sequence[Exception]) -> None:
    for error in errors[:_COMPLAINTS]:
        complain(str(error))
    if len(errors) > _COMPLAINTS:
        print(f"  and {len(errors) - _COMPLAINTS:,} more", file=sys.stderr)


def _stdin() -> Iterator[Item]:
    from ..sources import read_stream

    if sys.stdin is None or sys.stdin.closed:
        raise Refused("- reads standard input, and there is none")
    return read_stream(sys.stdin.buffer, "standard input")


def _emit_json(examination: Examination, select: Sequence[str], ignore: Sequence[str]) -> None:
    from datetime import datetime, timezone

    from ..registry import choose
    from ..sinks.json_report import document, serialised
    from .ruleset import loaded

    chosen = choose(loaded(), select, ignore)
    made = document(
        examination.reports,
        examination.failed,
        rules={rule.id: {"explain": _in_words(rule), "docs": f"rl-diag explain {rule.id}"} for rule in chosen},
        rules_total=len(chosen),
        tool=__version__,
        generated=datetime.now(timezone.utc),
    )
    emit_bytes(serialised(made, indent=True) + b"\n")


def _in_words(rule: Rule) -> str:
    return f"{rule.title} {rule.sections().get('Why it matters', '')}".strip()

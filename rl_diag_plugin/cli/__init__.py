"""The command ``rl-diag``: one command a module, imported only when it is run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from .errors import INTERRUPTED, UNUSABLE, Refused, Stopped, complain, refusal_of

# What ``--help`` lists; each command stands in the module of its name, with the same words as its short help.
COMMANDS = {
    "check": "Diagnose runs: what is wrong, since when, why, what to change.",
    "explain": "Say what a rule looks at, when it fires, and what to do then.",
    "rules": "List the rules.",
    "metrics": "Show what each logged key was read as, and what was not read.",
    "doctor": "Show what is installed and the traps of this environment.",
}


class Commands(click.Group):
    """A group that knows its commands' names and words without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __name__).command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, 1) or list(COMMANDS)
            raise Refused(f"no command {name}\nnearest: {', '.join(near)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="rl-diag", message="%(prog)s %(version)s")
@click.pass_context
def rl_diag(ctx: click.Context) -> None:
    """A doctor for reinforcement-learning training runs.

    Reads what a run has already logged. Begin with: rl-diag check ./my_run
    """
    if ctx.invoked_subcommand is None:
        print(ctx.get_help(), file=sys.stderr)
        ctx.exit(UNUSABLE)


def run(args: Sequence[str]) -> int:
    """The exit code of one call. What is wrong with the call is said on standard error."""
    try:
        result: Any = rl_diag.main(list(args), prog_name="rl-diag", standalone_mode=False)
    except Refused as refused:
        return complain(str(refused))
    except click.ClickException as wrong:
        return complain(refusal_of(wrong))
    except (Stopped, click.Abort, KeyboardInterrupt) as stopped:
        print(str(stopped) or "stopped", file=sys.stderr)
        return INTERRUPTED
    except Exception:
        import traceback

        traceback.print_exc()
        # Not 1, which says that a finding was made.
        return complain("this is a fault of rl-diag, not of the run\nplease report it with the lines above")
    return result if isinstance(result, int) else 0


def main() -> None:
    sys.exit(run(sys.argv[1:]))


__all__ = ["COMMANDS", "main", "run"]

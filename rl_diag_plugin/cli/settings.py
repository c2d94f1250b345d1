"""The options that take ``NAME=VALUE``, checked before anything is read, each error in the words of the option."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from ..api import Options, limits_of
from ..diagnosis import known
from ..knobs import find_knob
from ..metrics import find_metric
from ..model import parse_version
from ..registry import choose, find_rule
from ..sources import UnreadableError, read_config
from .errors import Refused, naming
from .ruleset import loaded

LIMIT_FORM = "RULE=WARNING[:ERROR[:CRITICAL]], e.g. truncated-responses=0.05:0.1"


def options(
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    limit: Sequence[str] = (),
    config: str | None = None,
    set_: Sequence[str] = (),
    map_: Sequence[str] = (),
    framework: str | None = None,
    run: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Options:
    """All of them as ``examine`` takes them. Raises Refused."""
    with naming(""):
        choose(loaded(), select, ignore)
    _check_framework(framework)
    _check_pattern(run)
    _check_config(config)
    limits, knobs = dict(map(parse_limit, limit)), dict(map(parse_setting, set_))
    return Options(config, framework, select, ignore, limits, knobs, dict(map(parse_map, map_)), run, since, until)


def parse_limit(text: str) -> tuple[str, list[float]]:
    """``truncated-responses=0.05:0.1`` → the rule and its limits, mildest first."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise Refused(f"--limit {text}: no value\nexpected {LIMIT_FORM}")
    with naming(""):
        find_rule(name)
    numbers = [_number(value, f"--limit {text}: {{}} is not a number\nexpected {LIMIT_FORM}") for value in values.split(":")]
    with naming(f"--limit {text}"):
        limits_of(name, numbers)
    return name, numbers


def _number(text: str, complaint: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refused(complaint.format(text))
    return number


def parse_setting(text: str) -> tuple[str, Any]:
    """``clip_eps=0.2`` → the setting and its value, read as a YAML scalar."""
    import yaml

    name, equals, value = text.partition("=")
    if not equals:
        raise Refused(f"--set {text}: no value\nexpected SETTING=VALUE, e.g. max_new_tokens=1024")
    with naming(f"--set {text}"):
        find_knob(name)
    try:
        parsed = yaml.safe_load(value)
    except yaml.YAMLError:
        raise Refused(f"--set {text}: {value} is no YAML value") from None
    return name, _scientific(parsed)


def _scientific(value: Any) -> Any:
    """YAML 1.1 takes ``1e-5`` for a string, and nobody else does."""
    if isinstance(value, str) and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+", value):
        return float(value)
    return value


def parse_map(text: str) -> tuple[str, str]:
    """``my/kl=ppo_actor/ref_kl`` → the logged key and the standard name; a key may hold ``=`` itself."""
    key, equals, metric = text.rpartition("=")
    if not equals or not key:
        raise Refused(f"--map {text}: no metric\nexpected KEY=METRIC, e.g. my/reward=rollout/reward")
    with naming(f"--map {text}"):
        find_metric(metric)
    return key, metric


def _check_framework(given: str | None) -> None:
    if given is None:
        return
    name, _, version = given.partition("==")
    with naming(""):
        known(name)
    if version:
        with naming(f"--framework {given}"):
            parse_version(version)


def _check_pattern(pattern: str | None) -> None:
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise Refused(f"--run {pattern} is no regular expression: {error}") from None


def _check_config(path: str | None) -> None:
    if path is None:
        return
    try:
        read_config(path)
    except UnreadableError as error:
        raise Refused(f"--config {error}") from None

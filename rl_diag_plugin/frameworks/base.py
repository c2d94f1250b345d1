"""One trainer as data: how it is recognised, what its keys measure, where its settings stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..knobs import Knob, Knobs, KnobValue
from ..model import Enabling, Floats, Measures, Version, holds

Convert: TypeAlias = Callable[[Mapping[str, Floats], Knobs], Floats]


@dataclass(frozen=True, slots=True)
class Reading:
    """Logged keys → one canonical metric.

    ``keys``: normalised keys, all of which a row must hold; the first one is the key that views show. ``optional``: further
    keys; rows without them get NaN. ``convert(columns by normalised key, settings)`` must be memoryless (entry by entry);
    None takes the first key as it is. A NaN that it returns is no value. ``when`` is asked with the run's settings.
    """

    metric: str
    keys: tuple[str, ...]
    measures: Measures = "exact"
    caveat: str = ""
    convert: Convert | None = None
    optional: tuple[str, ...] = ()
    since: Version | None = None
    until: Version | None = None
    when: Callable[[Knobs], bool] | None = None

    def valid(self, version: Version | None, knobs: Knobs) -> bool:
        return holds(version, self.since, self.until) and (self.when is None or self.when(knobs))


@dataclass(frozen=True, slots=True)
class KnobPath:
    """Where a knob stands in the saved configuration. ``read`` turns the value into the canonical one, ``write`` back into text.

    ``whole``: for a knob that takes more than one key: (found, canonical value) of a whole configuration, in place of ``read``;
    ``path`` is then the key that remedies name.
    """

    path: str
    since: Version | None = None
    until: Version | None = None
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], str] | None = None
    default: Any = None  # the trainer's own value where a configuration leaves it out; None: not known
    whole: Callable[[Mapping[str, Any]], tuple[bool, Any]] | None = None


@dataclass(frozen=True, slots=True)
class CodeKnob:
    """A setting that is no key in this trainer: what to write instead. ``none``: there is no such setting; the nearest action."""

    text: str
    since: Version | None = None
    until: Version | None = None
    none: bool = False


@dataclass(frozen=True)
class Framework:
    """``normalise`` maps a logged key to the one that readings are written in, or None for a key that is not this trainer's.

    ``decisive``: normalised keys that no other trainer logs: one of them ends detection. ``typical``: keys that count one
    point each. ``intermittent``: normalised keys that come and go without any fault. ``version_of`` reads the version from a
    configuration or the keys seen so far. ``infer`` reads settings from a row of metrics that echo them. ``blind`` names the
    metrics that cannot move under a run's settings whatever happens, each with the reason. ``caveats`` are what a reader of any
    run of a version must know, beyond single keys.
    """

    name: str
    title: str
    readings: Sequence[Reading]
    decisive: frozenset[str]
    typical: frozenset[str]
    knob_paths: Mapping[Knob, Sequence[KnobPath]]
    code_knobs: Mapping[Knob, Sequence[CodeKnob]] = field(default_factory=dict)
    normalise: Callable[[str], str | None] = lambda key: key
    intermittent: Callable[[str], bool] = lambda key: False
    version_of: Callable[[Mapping[str, Any], frozenset[str]], Version | None] = lambda config, keys: None
    recognise_config: Callable[[Mapping[str, Any]], bool] = lambda config: False
    infer: Callable[[Mapping[str, float]], Mapping[Knob, KnobValue]] = lambda row: {}
    blind: Callable[[Knobs, Version | None], Mapping[str, str]] = lambda knobs, version: {}
    enables: Mapping[str, Enabling] = field(default_factory=dict)
    caveats: Callable[[Version | None], Sequence[str]] = lambda version: ()

    def path_of(self, knob: Knob, version: Version | None) -> KnobPath | None:
        """The key that holds a knob in a version, None where it has none."""
        for path in self.knob_paths.get(knob, ()):
            if holds(version, path.since, path.until):
                return path
        return None

    def code_of(self, knob: Knob, version: Version | None) -> CodeKnob | None:
        for code in self.code_knobs.get(knob, ()):
            if holds(version, code.since, code.until):
                return code
        return None


def lookup(config: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """(found, value) of a dotted path in nested mappings; a flat key with dots is found too."""
    if path in config:
        return True, config[path]
    here: Any = config
    for part in path.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return False, None
        here = here[part]
    return True, here


def read_knobs(framework: Framework, config: Mapping[str, Any], version: Version | None) -> Knobs:
    """The canonical settings of a saved configuration. A path below a null is null (``rejection_sampling: null``)."""
    found: dict[Knob, KnobValue] = {}
    for knob in framework.knob_paths:
        path = framework.path_of(knob, version)
        if path is None:
            continue
        if path.whole is not None:
            there, value = path.whole(config)
            if there:
                found[knob] = KnobValue(value, path.path)
            continue
        there, value = lookup(config, path.path)
        if not there and _below_null(config, path.path):
            there, value = True, None
        if there:
            found[knob] = KnobValue(path.read(value) if path.read and value is not None else value, path.path)
        elif path.default is not None and framework.recognise_config(config):
            found[knob] = KnobValue(path.default, path.path, "default")
    return Knobs(found)


def _below_null(config: Mapping[str, Any], path: str) -> bool:
    here: Any = config
    for part in path.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return False
        here = here[part]
        if here is None:
            return True
    return False

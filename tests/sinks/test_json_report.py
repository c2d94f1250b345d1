from __future__ import annotations

import dataclasses
import json
import math
import typing
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import jsonschema
import numpy as np
import orjson
import pytest

from rl_diag_plugin.api import check
from rl_diag_plugin.model import Baseline, Enabling, EventShown, Passed, Report
from rl_diag_plugin.model import report as contract
from rl_diag_plugin.model.limits import SEVERITIES
from rl_diag_plugin.sinks.failed import Failed
from rl_diag_plugin.sinks.json_report import document, schema, serialised

from . import many, more, silent, single

# Where the schema describes a dataclass of the contract.
PLACES = {
    **{
        name: name.lower()
        for name in ("Episode", "Onset", "Statistic", "Baseline", "Evidence", "Confidence", "Finding", "Enabling", "Skipped")
    },
    **{"LimitShown": "limit", "SuspectedCause": "cause", "RemedyShown": "remedy", "NextExperiment": "experiment", "Passed": "passed"},
    **{"NotApplicable": "not_applicable", "ReadingUsed": "reading", "Trace": "trace", "EventShown": "event", "Report": "run"},
}
RENAMED = {Passed: {"first": "from"}, Baseline: {"first": "from", "last": "to"}}
ENUMS = {
    ("run", "verdict"): contract.Verdict,
    ("run", "state"): contract.RunState,
    ("reading", "measures"): contract.Measures,
    ("evidence", "role"): contract.Role,
    ("limit", "side"): contract.Side,
    ("confidence", "level"): dict(typing.get_type_hints(contract.Confidence))["level"],
    ("remedy", "kind"): dict(typing.get_type_hints(contract.RemedyShown))["kind"],
    ("remedy", "applicability"): dict(typing.get_type_hints(contract.RemedyShown))["applicability"],
}


def made(reports: list[Report], failed: tuple[Failed, ...] = ()) -> dict[str, Any]:
    rules = {"reward-constant": {"explain": "Every response got the same reward.", "docs": "rl-diag explain reward-constant"}}
    return document(
        reports, failed, rules=rules, rules_total=40, tool="0.1.0", generated=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    )


def validate(value: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema(), format_checker=jsonschema.FormatChecker()).validate(value)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("sample", [single.verifier_breaks, silent.config_only, single.two_findings, more.told_in_full, more.one_bad_step])
def test_documents_of_one_run_are_valid(sample: type) -> None:
    validate(orjson.loads(serialised(made([sample()]))))


def test_a_document_of_many_runs_and_failed_inputs_is_valid() -> None:
    out = orjson.loads(serialised(made(many.forty(), many.FAILED), indent=True))

    validate(out)
    assert (40, 5, "2026-01-02T03:04:05+00:00") == (len(out["runs"]), len(out["failed"]), out["generated"])
    assert {"label": "Reward", "unit": ""} == out["metrics"]["rollout/reward"]


def test_what_the_engine_makes_is_valid() -> None:
    n = 120
    reward = np.linspace(0.3, 0.8, n)
    reward[60:] = 0.0
    rows = {"step": np.arange(n), "ppo_actor/task_reward/avg": reward, "ppo_actor/update/grad_norm": np.where(reward > 0, 0.3, np.nan)}

    validate(orjson.loads(serialised(made(check(rows, framework="areal==1.0.4")))))


def test_every_field_of_the_contract_is_described() -> None:
    classes = {name: c for name, c in vars(contract).items() if dataclasses.is_dataclass(c) and isinstance(c, type)}
    assert set(PLACES) == set(classes)

    for name, cls in classes.items():
        described = schema()["$defs"][PLACES[name]]
        fields = {RENAMED.get(cls, {}).get(f.name, f.name) for f in dataclasses.fields(cls)} - ({"metrics"} if cls is Report else set())
        assert (name, fields) == (name, set(described["properties"]))
        assert fields == set(described["required"])


def test_enumerations_are_the_contract_s() -> None:
    for (place, name), kind in ENUMS.items():
        assert (place, name, list(typing.get_args(kind))) == (place, name, schema()["$defs"][place]["properties"][name]["enum"])
    assert list(SEVERITIES) == schema()["$defs"]["severity"]["enum"]


def test_every_object_is_closed_and_every_property_has_words() -> None:
    def visit(node: Any, path: str) -> None:
        if isinstance(node, list):
            for i, child in enumerate(node):
                visit(child, f"{path}/{i}")
        if not isinstance(node, dict):
            return
        if isinstance(node.get("properties"), dict):
            assert node["additionalProperties"] is False, path
            assert sorted(node["required"]) == sorted(node["properties"]), path
            for name, child in node["properties"].items():
                target = schema()["$defs"][child["$ref"].rpartition("/")[2]] if "$ref" in child else {}
                assert child.get("description") or target.get("description") or "const" in child, f"{path}/{name}"
        for name, child in node.items():
            visit(child, f"{path}/{name}")

    visit(schema(), "")


def test_json_is_strict_whatever_a_log_or_a_configuration_holds() -> None:
    odd = replace(
        silent.cannot_tell(),
        run="name \udc80",
        updated=math.inf,
        config={"seed": {"value": 2**70, "key": "seed", "source": "config"}, "at": {"value": math.nan, "key": None, "source": "set"}},
        events=(EventShown(None, "note", "text"),),
        skipped=(replace(silent.cannot_tell().skipped[0], enable=Enabling("text")),),
    )
    out = json.loads(serialised(made([odd])), parse_constant=pytest.fail)

    validate(out)
    assert (None, None, 2**70) == (
        out["runs"][0]["updated"],
        out["runs"][0]["config"]["at"]["value"],
        out["runs"][0]["config"]["seed"]["value"],
    )


def test_metrics_stand_once_and_not_in_each_run() -> None:
    assert "metrics" not in made([single.verifier_breaks()])["runs"][0]

"""What is evaluated, saved and logged."""

from __future__ import annotations

from .base import Knob

EVAL_INTERVAL = Knob("eval_interval", "steps between evaluations")
LOGGING_INTERVAL = Knob("logging_interval", "steps a logged row averages")
STATS_WINDOW = Knob("stats_window", "episodes behind a mean return")
EVAL_BEFORE_TRAIN = Knob("eval_before_train", "the evaluation also runs before the first update")
CHECKPOINT_INTERVAL = Knob("checkpoint_interval", "steps between checkpoints")

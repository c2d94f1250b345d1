"""Streaming detectors: memoryless signals in, judgements out; window, baseline and noise live here. numpy only, no I/O."""

from .base import Detector, Judged, Running
from .cusum import Cusum
from .drawdown import Drawdown
from .exact import Exact
from .flat import Flat
from .gap import Gap
from .level import Level
from .nonfinite import NonFinite
from .proportion import Proportion
from .relative import Relative
from .spike import Spike
from .trend import Trend

__all__ = [
    "Cusum",
    "Detector",
    "Drawdown",
    "Exact",
    "Flat",
    "Gap",
    "Judged",
    "Level",
    "NonFinite",
    "Proportion",
    "Relative",
    "Running",
    "Spike",
    "Trend",
]

"""The engine: assembly, detection of the trainer, judgement, the report."""

from .detection import known
from .engine import Diagnosis

__all__ = ["Diagnosis", "known"]

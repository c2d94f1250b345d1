"""Property tests: no deadlines, and in CI the same examples every time."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine is no failure, and a red build must be one that can be had again.
settings.register_profile("ours", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("ours")

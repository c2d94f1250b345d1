"""How far a long reading is: one redrawn line on standard error, on terminals only, after a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType

from .streams import is_terminal

AFTER = 1.0  # seconds
EVERY = 0.1


class Progress:
    """Called with (done, all, path) before each input; always counts, draws only where somebody looks."""

    def __init__(self) -> None:
        self.done, self.all, self.name = 0, 0, ""
        self._drawn = 0.0
        self._visible = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._timer = threading.Timer(AFTER, self._begin)
        self._timer.daemon = True  # an interrupted reading must not wait for it
        self._begun = False

    def __enter__(self) -> Progress:
        if self._visible:
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            if self._begun:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
            self._begun = False
            self._visible = False

    def __call__(self, done: int, total: int, path: str) -> None:
        self.done, self.all, self.name = done, total, os.path.basename(path) or path
        if self._begun and time.monotonic() - self._drawn > EVERY:
            self._draw()

    def _begin(self) -> None:
        self._begun = self._visible
        self._draw()

    def _draw(self) -> None:
        with self._lock:
            if self._visible and self.all:
                self._drawn = time.monotonic()
                sys.stderr.write(f"\r\x1b[K  reading {self.done + 1:,} of {self.all:,}  {self.name[:50]}")
                sys.stderr.flush()

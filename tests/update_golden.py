"""``python -m tests.update_golden``: write the golden files anew, reports and terminal texts; read the diff before committing it."""

from __future__ import annotations

from .recordings import golden
from .sinks import update_golden as terminal

if __name__ == "__main__":
    for name in golden.update():
        print(name)
    terminal.main()

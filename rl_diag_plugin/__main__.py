"""``python -m rl_diag_plugin`` is ``rl-diag``."""

from .cli import main

if __name__ == "__main__":
    main()

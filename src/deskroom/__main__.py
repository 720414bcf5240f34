"""The ``deskroom`` command, and ``python -m deskroom``.

The command line takes a moment to import, and an interrupt may come even then.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    try:
        from deskroom.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()

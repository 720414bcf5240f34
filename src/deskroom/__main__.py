"""``python -m deskroom`` is the ``deskroom`` command."""

from deskroom.cli import main

if __name__ == "__main__":
    main()

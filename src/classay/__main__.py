"""`python -m classay` is the command `classay`."""

import sys


def main() -> None:
    """Run the command; an interrupt ends it in one line, also while its modules are read."""
    try:
        from classay.cli import main as command

        command()
    except KeyboardInterrupt:
        print("classay: interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()

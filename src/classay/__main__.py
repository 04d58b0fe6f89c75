"""`python -m classay` is the command `classay`."""

from classay.cli import main

if __name__ == "__main__":
    main()

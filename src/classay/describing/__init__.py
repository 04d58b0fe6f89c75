"""What a file is, what its columns may be, and the command lines that would run."""

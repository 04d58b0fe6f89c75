"""What to say of an assessment: the verdict, the warnings, what is random."""

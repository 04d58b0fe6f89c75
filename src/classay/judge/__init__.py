"""Many grades of a judge, corrected by few human labels."""

"""What is read off curves, with its intervals; bands around curves."""

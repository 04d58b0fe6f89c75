"""The commands: each its options, and what it does with them."""

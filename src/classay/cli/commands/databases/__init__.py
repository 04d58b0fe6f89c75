"""Commands that count inside databases."""

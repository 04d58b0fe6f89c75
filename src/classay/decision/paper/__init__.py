"""What a decision says of itself in a paper."""

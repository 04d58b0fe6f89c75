"""Numbers that other tools publish, or give in their own tests, beside ours."""

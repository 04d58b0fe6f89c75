"""Which cases to label, and what their labels show of all cases."""

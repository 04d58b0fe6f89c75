"""Which cases to label, and what their labels tell about all cases."""

"""What several models said of the same cases: read, checked, and in an order of their own."""

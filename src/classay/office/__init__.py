"""Results as files that other programs read: Word, Excel, JUnit XML."""

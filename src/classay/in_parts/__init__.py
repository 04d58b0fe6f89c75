"""Rows that need not fit into memory: files, folders and frames counted part by part, and databases that count."""

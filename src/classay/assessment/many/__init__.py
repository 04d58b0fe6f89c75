"""Rows beyond memory: counted part by part, wherever that is, or inside a database."""

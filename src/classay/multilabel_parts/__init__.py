"""Several labels a case (tags), counted part by part."""

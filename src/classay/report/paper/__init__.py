"""What a paper wants of any document: tables, sentences on how it was found, its numbers as rows, its main picture."""

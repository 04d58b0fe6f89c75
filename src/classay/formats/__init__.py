"""Files that people's tools write: workbooks, files of statistics programs, and text in European spelling."""

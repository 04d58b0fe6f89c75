"""Results as files of office programs: Word and Excel."""

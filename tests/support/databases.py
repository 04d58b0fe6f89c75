"""Rows put into tables of databases."""


def insert(cursor, table, rows, mark="?"):
    """Insert rows by the hundred: DuckDB and a server take their time for each statement."""
    for start in range(0, len(rows), 100):
        some = rows[start : start + 100]
        one = f"({', '.join([mark] * len(some[0]))})"
        values = [value for row in some for value in row]
        cursor.execute(f"insert into {table} values {', '.join([one] * len(some))}", values)

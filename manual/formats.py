"""Reference of the files that are read, from the registry of formats, and what their writers do unexpectedly."""

from dataclasses import dataclass

from manual.markdown import codes, page, prose, table


@dataclass(frozen=True)
class Surprise:
    """What a writer does that nobody would guess, and the test that holds it."""

    file: str
    tool: str
    fact: str
    test: str


SURPRISES = (
    Surprise(
        ".xlsx",
        "openpyxl 3.1.5",
        "A formula has no saved value, so every reader of values sees an empty cell. Such columns are refused.",
        "test_formulas_that_nobody_calculated_are_refused_and_no_zeros",
    ),
    Surprise(
        ".xlsx",
        "XlsxWriter 3.3.1",
        "A formula has the saved value 0 until Excel calculates it. Such columns are refused.",
        "test_formulas_that_nobody_calculated_are_refused_and_no_zeros",
    ),
    Surprise(
        ".xlsx",
        "pandas 3.1.1",
        "`to_excel` writes the index as a first column without a name. Other columns need names.",
        "test_every_writer_gives_the_same_rows",
    ),
    Surprise(
        ".ods",
        "LibreOffice 7.4.7",
        "Truth values of a workbook saved as .ods are the numbers 1 and 0. The same sheet as .xls or .xlsx keeps them.",
        "test_every_writer_gives_the_same_rows",
    ),
    Surprise(
        ".xlsx",
        "openpyxl 3.1.5",
        "Hidden and filtered rows are in the file like all others. They are read, and a warning counts them.",
        "test_a_hidden_sheet_is_read_only_by_name_and_hidden_rows_are_told",
    ),
    Surprise(
        ".xlsx",
        "msoffcrypto-tool 5.4.2",
        "An encrypted .xlsx is no ZIP archive but an OLE file, like an old .xls.",
        "test_what_is_encrypted_damaged_or_a_bomb_is_one_line",
    ),
    Surprise(
        ".sav",
        "pyreadstat 1.3.7",
        "The value label of a user-missing value (-9, not measured) is among the labels of the numbers. It makes no "
        "classes.",
        "test_user_missing_values_are_missing_and_counted_with_their_labels",
    ),
    Surprise(
        ".zsav",
        "PSPP 1.6.2",
        "The missing value of a text column is a text (`XX`), and sorts between other texts.",
        "test_pspp_writes_what_spss_means",
    ),
    Surprise(
        ".dta",
        "pandas 3.1.1",
        "`to_stata` codes categories from 0 in alphabetical order, whatever codes they had before.",
        "test_every_writer_gives_the_same_rows",
    ),
    Surprise(
        ".dta",
        "R 4.2.2, foreign 0.8.84",
        "Dates are plain days since 1960-01-01 without a date format, and factors are coded from 1.",
        "test_a_factor_of_r_is_its_labels_and_a_date_of_r_a_number",
    ),
    Surprise(
        ".dta",
        "pyreadstat 1.3.7",
        "The missing value `.a` arrives as the text `a` in a column of numbers.",
        "test_letters_of_stata_are_missing_and_counted",
    ),
    Surprise(
        ".xpt",
        "pyreadstat 1.3.7",
        "SAS transport files have no value labels: classes are codes such as 0 and 1.",
        "test_transport_files_hold_codes_and_no_labels",
    ),
    Surprise(
        ".csv",
        "R 4.2.2",
        "`write.table` writes row names without a name: the header has one field less than each row. The first column "
        "is then `row.names`, and a warning says so.",
        "test_row_names_of_r_get_a_name",
    ),
    Surprise(
        ".csv",
        "R 4.2.2",
        "`write.csv2` quotes words, so that a word for missing values may be quoted too. `--na` takes both.",
        "test_quoted_words_for_missing_values",
    ),
    Surprise(
        ".csv",
        "LibreOffice 7.4.7",
        "An export in German shows percentages with a point (`5.0%`) where the cell has an American format.",
        "test_libreoffice_shows_the_percentages_of_an_american_cell_with_a_point_in_german",
    ),
    Surprise(
        "Delta",
        "deltalake 1.6.6",
        "`to_pyarrow_table` and `to_pandas` give missing values for all columns of a table with column mapping, "
        "without an error. Tables are read by `scan`, which does not keep the order of rows.",
        "test_the_folder_is_read_by_its_library",
    ),
    Surprise(
        "Iceberg",
        "pyiceberg 0.12.0",
        "Without `version-hint.text`, only a catalog knows which version is current. The last one in the folder is "
        "read, and a warning names it.",
        "test_an_iceberg_table_without_a_hint_is_read_in_its_last_version",
    ),
    Surprise(
        "Iceberg",
        "pyiceberg 0.12.0",
        "Descriptions name files by their full paths. A copied folder is read from the files of the first one, and a "
        "moved folder cannot be read.",
        "test_what_a_library_raises_is_one_line",
    ),
    Surprise(
        ".parquet",
        "polars 2.1.0",
        "PyArrow 26 cannot open a file with one column of Int128, not even for other columns. They are read, and that "
        "column is 16 bytes.",
        "test_a_column_beyond_arrow_that_nobody_named_stops_nothing",
    ),
    Surprise(
        "Ibis",
        "Ibis 12.0.0, DuckDB 2.0.1",
        "`to_pyarrow_batches` fails, and then blocks its connection. The named columns are read at once instead.",
        "test_a_source_of_batches_gives_what_its_rows_give",
    ),
    Surprise(
        "HDF5",
        "h5py 3.16.0",
        "Texts arrive as bytes, which are other labels than texts. They are read as texts.",
        "test_texts_of_hdf5_are_texts",
    ),
    Surprise(
        "PostgreSQL",
        "psycopg 3.3.9",
        "After a refused query, the connection refuses all queries until a rollback. Only the refused query is undone.",
        "test_a_refused_query_undoes_nothing_else_in_postgresql",
    ),
    Surprise(
        ".json",
        "Spark 4.3.0",
        "`write.json` writes JSON lines, in files that end in `.json`. In a folder, they are rows only if their names "
        "begin with `part-`, because other JSON describes files.",
        "test_what_spark_writes_is_read",
    ),
)
LAKES = """
`ca.scan` reads these sources in parts, and of their columns only those that are named:

- datasets and scanners of PyArrow, tables of Delta and Iceberg, scans of Iceberg, datasets of Lance;
- relations of DuckDB, tables of Ibis (tables of Ibis on DuckDB 2 at once);
- files and groups of HDF5 and Zarr, and dicts of their arrays;
- files, folders and patterns at addresses: `s3://`, `gs://`, `abfss://`, `hdfs://` and `file://` by PyArrow, others by
  fsspec. Passwords belong into the environment, and an address with one is refused.

Commands read the folder of a table like a file. Names of files in it, folders above it and tables of Hudi are refused,
and so is the folder of a table at an address: open it with its library, and pass it to `ca.scan`.

`ca.scan_database` takes connections of drivers, engines, connections and sessions of SQLAlchemy, and backends of Ibis.
`ca.assess_counts` takes frames, columns, and rows with names of their columns, such as those of
`spark.sql(query).collect()`.
""".strip()
TEXT = """
CSV and TSV files of European programs are read as follows. Options of `classay` are in brackets.

- Decimal commas (`--decimal ,`). Without the option, a column is read so only if the delimiter is not a comma and all
  its values have this form. A warning says so. Values that may have thousands separators (`1,234`) need the option.
- With `--decimal ,`, the delimiter of a `.csv` file is `;`, a tab or `|` if none is named. Points separate thousands.
- Percentages (`12,5%`): shares, if all values of a column have one. A warning says so.
- Words for missing values (`--na unknown,k.A.,-9`), in labels and in numbers, quoted or not.
- Dates (`--date-format %d.%m.%Y`). Without the option, only ISO dates are dates.
- Lines above the header (`--header-line N`). Without the option, lines of one field above rows of equal width are
  skipped. A warning names the line of the header.
- Row names of R without a name in the header: the first column is `row.names`.

Rows that are counted part by part (`--memory`, folders, `ca.scan`) are read without these options.
""".strip()


def formats() -> str:
    """Every format of a wing: how it is recognized, what is read, what it needs; the surprises."""
    from classay.wings import brought, thing

    entries = {name: thing(place) for name, place in brought("formats").items()}
    rows = [
        [
            f"`{name}`",
            codes(entry.endings) or "a folder",
            prose(entry.recognized_by),
            prose(entry.reads),
            f"`{entry.needs}`",
            codes([f"--{option.replace('_', '-')}" for option in entry.options]),
        ]
        for name, entry in entries.items()
    ]
    heads = ["format", "endings", "recognized by", "what is read", "needs", "options"]
    surprises = [[f"`{each.file}`", each.tool, each.fact] for each in SURPRISES]
    return page(
        "Files",
        "CSV, TSV, JSON lines, Parquet and Arrow files are read without anything else. The formats in this table need "
        "`pip install 'classay[files]'`, folders of tables `pip install 'classay[lakes]'`. The content of a file "
        "decides which of them it is, and its ending is used "
        "only where the content is text.",
        table(heads, rows),
        "An archive is read only if it unpacks to at most 100 times its size and 4 GB. Macros, formulas and links are "
        "never executed or followed.",
        "## Text",
        TEXT,
        "## Lakes, engines and addresses",
        LAKES,
        "## Surprises",
        "Each row was found in a file that the tool wrote, and is held by a test. The scripts that make the files are "
        "in `tests/outside/make/` of the repository.",
        table(["file", "tool", "surprise"], surprises),
    )

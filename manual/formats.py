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
)
SURPRISES_OF_NESTED = (
    Surprise(
        ".parquet",
        "pyspark 4.3.0",
        "A dense vector has no `size`: it is null, and JSON leaves it out. Its number of scores is that of `values`.",
        "test_a_dense_vector_of_spark_has_no_size",
    ),
    Surprise(
        ".parquet",
        "pyspark 4.3.0",
        "`StringIndexer` gives 0 to the most frequent class. Predictions know the number of classes, not their names. "
        "They get the names of the true labels.",
        "test_spark_names_classes_by_frequency_and_positive_as_text_exchanges_nothing",
    ),
    Surprise(
        ".parquet",
        "datasets 5.2.0",
        "-1 is a case without a label where `ClassLabel` is declared. It is read as missing, and a warning counts it.",
        "test_minus_one_is_no_label_where_class_label_is_declared",
    ),
    Surprise(
        ".parquet",
        "DuckDB 2.0.1",
        "An enum becomes plain text without its order, and an array of fixed size a list. `--labels` names the order.",
        "test_duckdb_writes_an_enum_as_plain_text_and_an_array_as_a_list",
    ),
    Surprise(
        ".parquet",
        "polars 2.1.0",
        "A `Categorical` has the order of its first rows, an `Enum` the declared one. Only the latter orders scores.",
        "test_the_order_of_a_categorical_of_polars_is_that_of_its_first_rows",
    ),
    Surprise(
        ".jsonl",
        "onnxruntime 1.32.0",
        "Probabilities of a classifier are a list of dicts, with numbers as keys where labels are numbers.",
        "test_zipmaps_of_onnx_have_their_labels_as_keys",
    ),
    Surprise(
        ".jsonl",
        "river 0.26.1",
        "The first prediction is an empty dict, and later ones lack the classes that the model has not met. These have "
        "0 where the others sum to 1, with a warning.",
        "test_river_knows_no_class_before_the_first_and_leaves_out_those_to_come",
    ),
    Surprise(
        ".json",
        "pandas 3.1.1",
        "`to_json` writes columns of objects by row numbers without `orient`. Each form with names is read.",
        "test_every_form_of_json_of_pandas_gives_the_same_rows",
    ),
    Surprise(
        ".json",
        "DuckDB 2.0.1, pyspark 4.3.0",
        "A `.json` file holds JSON lines. DuckDB writes one document with `array true`.",
        "test_fields_are_read_by_paths",
    ),
    Surprise(
        ".jsonl",
        "pyarrow 26.0.1",
        "Fields that nobody names are skipped, and "
        "named ones are refused beyond 100.",
        "test_nesting_beyond_the_limit_is_refused",
    ),
)
NESTED = """
A column is named by its path wherever a column is named: `doc.cat`, `scores[0].value`, `p_map.yes`. A column with
the name `doc.cat` comes first. Columns of one name in a CSV file or a sheet are `Score#1` and `Score#2`.

`--class-scores` takes one column with the scores of all classes.

- Lists, lists of fixed size and vectors of Spark (dense and sparse): in the order of `--labels`, or of the classes that
  the file knows for the true labels, or of the whole numbers 0, 1, …. A warning names it. Otherwise they are refused.
- Structs, maps and objects of JSON: by their keys. A class without a key has 0 where the others of its row sum to 1,
  with a warning. In all other rows it is missing.
- Rows of another size, and keys without a label, are refused. In Python, `ca.assess` takes the same columns, and
  lists of dicts.

A file may know names for codes: `ClassLabel` of datasets and `StringIndexer` of Spark, in Parquet and Arrow. These
names become the labels, and a warning lists them. Ordered categories of Arrow keep their order.

Of JSON lines only the fields that are asked for are read. Others may change their type. Nesting is refused beyond 100.
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
            codes(entry.endings),
            prose(entry.recognized_by),
            prose(entry.reads),
            f"`{entry.needs}`" if entry.needs else "nothing",
            codes([f"--{option.replace('_', '-')}" for option in entry.options]),
        ]
        for name, entry in entries.items()
    ]
    heads = ["format", "endings", "recognized by", "what is read", "needs", "options"]
    surprises = [[f"`{each.file}`", each.tool, each.fact] for each in (*SURPRISES, *SURPRISES_OF_NESTED)]
    return page(
        "Files",
        "CSV, TSV, JSON lines, Parquet and Arrow files are read without anything else. The packages in this table come "
        "with `pip install 'classay[files]'`. The content of a file decides which of them it is, and its ending is "
        "used only where the content is text.",
        table(heads, rows),
        "An archive is read only if it unpacks to at most 100 times its size and 4 GB. Macros, formulas and links are "
        "never executed or followed.",
        "## Lists, structs and names of classes",
        NESTED,
        "## Text",
        TEXT,
        "## Surprises",
        "Each row was found in a file that the tool wrote, and is held by a test. The scripts that make the files are "
        "in `tests/outside/make/` of the repository.",
        table(["file", "tool", "surprise"], surprises),
    )

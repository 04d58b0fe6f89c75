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
        ".csv",
        "LibreOffice 7.4.7",
        "French thousands are separated by a space that does not break (U+00A0), Swiss ones by an apostrophe.",
        "test_thousands_are_separated_by_points_apostrophes_and_spaces_that_do_not_break",
    ),
    Surprise(
        ".csv",
        "pandas 3.1.1",
        "After `groupby().agg`, `to_csv` writes three rows of names. The third has only the name of the index, and "
        "would be a case without values.",
        "test_names_of_pandas_are_joined_where_the_second_row_repeats_them",
    ),
    Surprise(
        ".csv",
        "pandas 3.1.1; R 4.2.2",
        "`pivot_table(margins=True)` ends with a row `All`, `addmargins` with a row `Sum`. These rows are not cases.",
        "test_totals_are_no_cases_and_told",
    ),
    Surprise(
        ".csv",
        "R 4.2.2",
        '`fileEncoding = "UTF-16"` writes a byte order mark, `"UTF-16LE"` writes none. Text without one is refused.',
        "test_utf_16_is_read_by_its_byte_order_mark_and_refused_without",
    ),
    Surprise(
        ".csv",
        "any",
        "Arrow reads `1.234` as a number slightly above one, also in a file with decimal commas. Such columns are "
        "refused.",
        "test_points_beside_decimal_commas_are_asked",
    ),
)
TEXT = """
CSV and TSV files of European programs are read as follows. Options of `classay` are in brackets. Warnings name what is
recognized without an option. If a file needs another delimiter, one error names all obstacles and the options that read
the file. Errors name rows by their lines.

- UTF-16 with a byte order mark. A `.txt` file with tabs in every line, such as the Unicode text of Excel, is TSV.
- Decimal commas (`--decimal ,`). Without the option, a column is read so only if the delimiter is not a comma and all
  its values have this form. Points, spaces and apostrophes may separate thousands. Values that may have a decimal comma
  or a thousands separator (`1,234`) need the option. So do values such as `1.234` if other columns have decimal commas.
- With `--decimal ,`, the delimiter of a `.csv` file is `;`, a tab or `|` if none is named.
- Percentages (`12,5%`): shares, if all values of a column have one.
- Words for missing values (`--na unknown,k.A.,-9`), in labels and in numbers, quoted or not.
- Dates (`--date-format %d.%m.%Y`). Without the option, only ISO dates are dates.
- Lines above the header (`--header-line N`). Without the option, lines of one field above rows of equal width are
  skipped.
- Two rows of names, if groups in the first are blank or repeated and later rows have numbers below the second. The
  second row is used, or both are joined by `_` if its names repeat.
- A row of units below the header is skipped if columns of numbers have units, and all other columns are blank there.
- Totals at the end are skipped: rows that begin with a word such as `Summe` or `n = 120`, and are blank where cases
  have values, or hold sums or means of all rows. Compressed files above 8 MB are not searched for totals.
- Row names of R without a name in the header: the first column is `row.names`.

Rows that are counted part by part (`--memory`, folders, `ca.scan`) are read in the same way, except for dates. Only the
first rows of a file decide how numbers are written. Later rows of another form are refused. Standard input that is
counted part by part takes no options of this list.
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
        "`pip install 'classay[files]'`. The content of a file decides which of them it is, and its ending is used "
        "only where the content is text.",
        table(heads, rows),
        "An archive is read only if it unpacks to at most 100 times its size and 4 GB. Macros, formulas and links are "
        "never executed or followed.",
        "## Text",
        TEXT,
        "## Surprises",
        "Each row was found in a file that the tool wrote, and is held by a test. The scripts that make the files are "
        "in `tests/outside/make/` of the repository.",
        table(["file", "tool", "surprise"], surprises),
    )

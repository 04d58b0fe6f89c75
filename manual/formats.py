"""Reference of the files that are read, from the registry of formats, and what their writers do unexpectedly."""

from dataclasses import dataclass

from classay.formats.in_memory import KINDS
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
        "LibreOffice 7.4.7",
        "A German CSV that is opened in English and saved keeps `4,0`, `5,2%` and `12.03.2025` as text, not as numbers "
        "and dates. They are read as what they mean.",
        "test_texts_are_the_numbers_that_they_mean",
    ),
    Surprise(
        ".ods",
        "LibreOffice 7.4.7",
        "No reader shows that a title is in merged cells of an .ods file, as in .xlsx and .xls. A title is a row with "
        "one text.",
        "test_titles_above_and_notes_below_are_no_rows_of_the_table",
    ),
    Surprise(
        ".csv",
        "R 4.2.2",
        '`fileEncoding = "latin1"` leaves no mark. Words that may be Central European, Cyrillic or of DOS are refused.',
        "test_what_may_be_several_encodings_is_refused",
    ),
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
        "msoffcrypto-tool 6.1.0",
        "An encrypted .xlsx is not a ZIP archive but an OLE file, like an old .xls.",
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
        ".rds",
        "R 4.2.2, rdata 1.1.0",
        "Dates and times arrive as numbers of days and seconds since 1970. Their class makes them dates and times.",
        "test_dates_and_times_of_r_are_dates_and_times",
    ),
    Surprise(
        ".rds",
        "R 4.2.2, bit64 4.0.5",
        "Whole numbers of 64 bits (`integer64`) are in the bytes of doubles, and look like 5e-322.",
        "test_integer64_is_no_double",
    ),
    Surprise(
        ".rds",
        "R 4.2.2, rdata 1.1.0",
        "A fitted model holds environments, which the parser does not know. The error asks for a plain data frame.",
        "test_other_objects_of_r_are_named",
    ),
    Surprise(
        ".sqlite",
        "R 4.2.2, RSQLite 2.2.20",
        "Dates are numbers of days in a column of type `REAL`. pandas 3.1.1 writes ISO text.",
        "test_dates_of_pandas_are_text_and_those_of_r_are_numbers_of_days",
    ),
    Surprise(
        ".sqlite",
        "SQLite 3",
        "The last rows may be in a second file (`-wal`). They are read, because the file is opened without "
        "`immutable`.",
        "test_rows_in_the_log_are_read_and_nothing_is_written",
    ),
    Surprise(
        ".sqlite",
        "SQLite 3",
        "A file that was cut off is read without an error, and rows are missing. It is refused by its head.",
        "test_damage_is_one_line",
    ),
    Surprise(
        ".avro",
        "polars 2.1.0",
        "Times have no zone (`local-timestamp-micros`), and the record has the empty name.",
        "test_times_of_polars_have_no_zone_and_those_of_fastavro_are_utc",
    ),
    Surprise(
        ".csv",
        "R 4.2.2",
        "`write.table` writes row names without a name: the header has one field fewer than each row. The first column "
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
        "Weka 3.9.7",
        "A missing actual label is `1:?`, with the number of the first class.",
        "test_a_missing_label_of_weka_is_not_its_first_class",
    ),
    Surprise(
        ".csv",
        "Weka 3.9.7",
        "A label with a comma or a quote is quoted as an actual label and not as a predicted one.",
        "test_labels_of_weka_are_quoted_in_one_column_only",
    ),
    Surprise(
        ".csv",
        "Weka 3.9.7",
        "Without `-distribution`, `prediction` is the probability of the predicted class. As a score of the positive "
        "class, it ranks confident negatives first.",
        "test_the_prediction_of_weka_is_of_the_predicted_class",
    ),
    Surprise(
        ".csv",
        "H2O 3.46.0.12",
        "`predict` uses the threshold with the greatest F1 on the training data (0.42 in our file), not 0.5.",
        "test_predict_of_h2o_is_at_another_threshold_than_one_half",
    ),
    Surprise(
        ".csv",
        "H2O 3.46.0.12",
        "Columns of numeric classes begin with p: the probability of class -1 is `p-1`.",
        "test_classes_of_h2o_that_are_numbers_begin_with_p",
    ),
    Surprise(
        "text",
        "LIBSVM 3.24, LIBLINEAR 2.3.0",
        "The scores of -1 and 1 are in the order `1 -1`, although the training data begin with -1. Other labels are in "
        "the order of the training data.",
        "test_the_first_line_of_libsvm_tells_the_order_of_scores",
    ),
    Surprise(
        "text",
        "Vowpal Wabbit 9.11.9",
        "A model trained with `--probabilities` writes labels. It writes probabilities if the option is given again.",
        "test_probabilities_of_vowpal_wabbit_need_the_option_again",
    ),
    Surprise(
        "text",
        "Vowpal Wabbit 9.11.9",
        "`-r` writes raw scores in the same form as probabilities. They are refused.",
        "test_raw_scores_of_vowpal_wabbit_are_refused",
    ),
    Surprise(
        "text",
        "fastText 0.9.2",
        "`predict-prob` writes the most probable label only, so that another class has no score. -1 writes all.",
        "test_fasttext_writes_one_label_unless_asked",
    ),
    Surprise(
        "text",
        "fastText 0.9.2",
        "The probabilities of a line have a sum of up to 1.00003.",
        "test_probabilities_of_fasttext_exceed_one_in_total",
    ),
    Surprise(
        ".json",
        "MLflow 3.17.2",
        "A second `log_table` of the same name appends its rows, and probabilities are rounded to ten decimals.",
        "test_a_table_that_mlflow_logged_twice_has_all_rows_twice",
    ),
    Surprise(
        ".tab",
        "Orange 3.40.0",
        "Two rows below the names hold types (or all values of a column) and roles, and look like two cases of further "
        "classes. They are skipped with a warning, also in .csv. A workbook has neither, and its numbers are texts.",
        "test_types_and_roles_of_orange_are_no_cases",
    ),
    Surprise(
        ".json",
        "DVCLive 3.49.1, Weights & Biases 0.31.0",
        "A logged ROC curve has columns of rates and of the class, in the form of cases. `describe` says that its rows "
        "are points of a curve.",
        "test_points_of_a_curve_are_no_cases",
    ),
    Surprise(
        ".json",
        "Weights & Biases 0.31.0",
        "A logged confusion matrix has a row per cell, with its count as a fraction (`14.0`). The count is the "
        "frequency of the row.",
        "test_the_matrix_of_weights_and_biases_is_that_of_its_cases",
    ),
    Surprise(
        ".json",
        "scikit-learn 1.9.1",
        "A class named `accuracy` is missing in `classification_report(output_dict=True)`. Such a report is refused.",
        "test_a_report_that_does_not_determine_its_matrix_is_refused",
    ),
    Surprise(
        "Dataset",
        "datasets 5.2.0",
        "After `filter` and `select`, `data.data.table` still has all rows. The rows that remain are read.",
        "test_filtered_rows_stay_out",
    ),
    Surprise(
        "Dataset",
        "datasets 5.2.0",
        "`with_format` of `numpy`, `torch` or `jax` rounds 64-bit floats to 32 bits, except in an `IterableDataset`. "
        "The stored values are read, unless you pass a column.",
        "test_formats_that_round_are_not_asked",
    ),
    Surprise(
        "Dataset",
        "datasets 5.2.0",
        "A row without a label has -1 in a `ClassLabel` column, which looks like a third class.",
        "test_minus_one_of_a_class_is_no_label",
    ),
    Surprise(
        "relation",
        "DuckDB 2.0.1, polars 2.1.0",
        "Every reading computes a query anew, and rows after GROUP BY change their order. Two columns in two readings "
        "do not belong together.",
        "test_a_query_is_computed_once",
    ),
    Surprise(
        "tensor",
        "TensorFlow 2.21.0",
        "DLPack is not safe for every type of tensor. It is used only for arrays that offer nothing else.",
        "test_dlpack_is_asked_last",
    ),
    Surprise(
        "tf.data",
        "TensorFlow 2.21.0",
        "A shuffled dataset has another order in every pass.",
        "test_passes_of_a_shuffled_dataset_are_refused",
    ),
    Surprise(
        "array",
        "CatBoost 1.2.10",
        "Labels of several classes have shape (n, 1), as objects. Those of two classes have shape (n,).",
        "test_labels_of_catboost_are_a_column",
    ),
    Surprise(
        "Dataset",
        "xarray 2026.9.0",
        "Its names are those of variables without coordinates, and `to_dataframe` repeats each case for every class.",
        "test_variables_of_several_dimensions_are_no_frame",
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
        "S3",
        "deltalake 1.6.6",
        "An endpoint with `http://` in `AWS_ENDPOINT_URL` is refused as `Kernel error -> Generic S3 error`, although "
        "PyArrow and s3fs take it. It is allowed, because it was named.",
        "test_a_service_without_encryption_is_named_to_deltalake",
    ),
    Surprise(
        "S3",
        "pyiceberg 0.12.0",
        "`AWS_ENDPOINT_URL` is ignored, and Amazon is asked instead. The endpoint and region of the environment are "
        "passed to it.",
        "test_the_folder_at_an_address_is_read_by_its_library",
    ),
    Surprise(
        "HDF5",
        "h5py 3.16.0",
        "A closed file raises `KeyError` when it is asked for its names, and its arrays raise `RuntimeError` or "
        "`ValueError`. Each is one line.",
        "test_arrays_of_a_closed_file_are_one_line",
    ),
    Surprise(
        "Zarr",
        "zarr 3.4.2",
        "After its folder is deleted, a group has no arrays, and no error. A closed ZIP store opens itself again.",
        "test_arrays_of_a_closed_file_are_one_line",
    ),
    Surprise(
        "pickle",
        "joblib 1.6.0",
        "A `.joblib` file is a pickle packed by zlib, gzip, bzip2, xz or LZMA, or not at all. Its first bytes are "
        "unpacked, and it is refused.",
        "test_pickles_are_refused_by_their_content_and_never_loaded",
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
)


@dataclass(frozen=True)
class Call:
    """How a program writes a file, how classay reads it, and stored files of that kind in the order of the words."""

    written: str
    read: str
    files: tuple[str, ...]


_SVM, _VW, _FAST = "libsvm-3.24", "vowpal-wabbit-9.11.9", "fasttext-0.9.2"
CALLS = (
    Call(
        'Weka: `-classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution"`',
        "weka.csv --truth actual --score probability.tested_positive --positive tested_positive --missing drop",
        ("weka-3.9.7-distribution.csv",),
    ),
    Call(
        'Orange: `predicted.save("cases.tab")` of `results.get_augmented_data(names)`',
        "cases.tab --truth outcome --score 'Logistic Regression (yes)' --positive yes",
        ("orange3-3.40.0.tab",),
    ),
    Call(
        "Weights & Biases: `wandb.Table`, in the folder `media/table` of a run",
        "cases.table.json --truth truth --score p --positive yes --unanswered drop",
        ("wandb-0.31.0-cases.table.json",),
    ),
    Call(
        'DVCLive: `live.log_sklearn_plot("confusion_matrix", y, predicted)`',
        "confusion.json --truth actual --prediction predicted --positive yes",
        ("dvclive-3.49.1-confusion.json",),
    ),
    Call(
        'H2O: `h2o.export_file(test["y"].cbind(model.predict(test)), "h2o.csv")`',
        "h2o.csv --truth y --score yes --positive yes",
        ("h2o-3.46.0.12-words.csv",),
    ),
    Call(
        "LIBSVM: `svm-predict -b 1 test.txt model svm.txt`, LIBLINEAR: `liblinear-predict -b 1 test.txt model svm.txt`",
        "svm.txt --columns-from test.txt --truth label --score probability.1 --positive 1",
        (f"{_SVM}-two.txt", f"{_SVM}-two-data.txt"),
    ),
    Call(
        "Vowpal Wabbit, two classes, trained with `--link logistic`: `vw -t -i model -d test.txt -p vw.txt`",
        "vw.txt --columns-from test.txt --truth label --score value --positive 1",
        (f"{_VW}-two.txt", f"{_VW}-two-data.txt"),
    ),
    Call(
        "Vowpal Wabbit, more classes: `vw -t -i model -d test.txt -p vw.txt --probabilities`",
        "vw.txt --columns-from test.txt --truth label "
        "--class-scores cat=probability.cat,dog=probability.dog,eel=probability.eel",
        (f"{_VW}-three.txt", f"{_VW}-three-data.txt"),
    ),
    Call(
        "fastText: `fasttext predict-prob model.bin test.txt -1 > ft.txt`",
        "ft.txt --columns-from test.txt --truth label --score probability.spam --positive spam --missing drop",
        (f"{_FAST}-two.txt", f"{_FAST}-two-data.txt"),
    ),
    Call(
        "MLflow: `mlflow.log_table`, and `eval_results_table.json` of `mlflow.models.evaluate`",
        "eval_results_table.json --truth truth --score p --positive yes",
        ("mlflow-3.17.2-eval_results_table.json",),
    ),
    Call(
        "scikit-learn: `json.dump(confusion_matrix(y, predicted).tolist(), file)`",
        "--matrix matrix.json --matrix-rows true --labels no,yes --positive yes",
        ("scikit-learn-1.9.1-matrix.json",),
    ),
    Call(
        "scikit-learn, two classes: `json.dump(classification_report(y, predicted, output_dict=True), file)`",
        "--matrix report.json --positive yes",
        ("scikit-learn-1.9.1-report.json",),
    ),
)
WRITTEN = """
Programs that predict write files of their own. The content of such a file shows the program, and a warning names it.
`--format csv` reads the file as a plain table.
""".strip()
LIMITS = """
`--columns-from FILE` adds the columns of a second file with the same rows in the same order, such as the true labels
of the test data. Both files must have the same number of rows, and equal columns `id` and `tag` if both have them. The
option works with every format.

Some files are not read:

- Predicted labels without a header that are not numbers, as Vowpal Wabbit writes them with `--named_labels`. Add a
  header and use `--format csv`.
- Predictions of Weka in forms other than CSV, and of numeric targets.
- Reports of scikit-learn with more than two classes. Their counts are unknown.
- `per_class_metrics.csv` of MLflow. Use the four counts of a row: `--counts tp=4,fp=6,fn=1,tn=1`.
""".strip()
LAKES = """
`ca.scan` reads these sources in parts, and of their columns only those that are named:

- datasets and scanners of PyArrow, tables of Delta and Iceberg, scans of Iceberg, datasets of Lance;
- relations of DuckDB, tables of Ibis (tables of Ibis on DuckDB 2 at once);
- files and groups of HDF5 and Zarr, and dicts of their arrays;
- files, folders and patterns at addresses: `s3://`, `gs://`, `abfss://`, `hdfs://` and `file://` by PyArrow, others by
  fsspec.

Commands read the folder of a table like a file. `assess` and `ca.scan` also take its address, if that is one of
PyArrow's. Names of files in it, folders above it and tables of Hudi are refused.

Keys and passwords are taken from the environment (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`) or from the configuration of
the service. An address with a password, or with options after `?`, is refused, because messages would show it.

Folders and patterns may hold every format of this page with an ending, and a pattern such as `d/*.txt` names files of
the others. All files must then be of one kind. Each file is one part, and must fit into memory, except for CSV, TSV,
JSON lines (also in `.json`) and Parquet, which are read in pieces. At an address, only CSV, TSV, JSON lines, Parquet
and Arrow are read: other libraries need a file on disk.

`ca.scan_database` takes connections of drivers, engines, connections and sessions of SQLAlchemy, and backends of Ibis.
`ca.assess_counts` takes frames, columns, and rows with names of their columns, such as those of
`spark.sql(query).collect()`.
""".strip()
NESTED = """
A column is named by its path wherever a column is named: `doc.cat`, `scores[0].value`, `p_map.yes`. A column with
the name `doc.cat` comes first. Columns of one name in a CSV file or a sheet are `Score#1` and `Score#2`.

`--class-scores` takes one column with the scores of all classes.

- Lists, lists of fixed size and vectors of Spark (dense and sparse): in the order of `--labels`. Without it, in the
  order of the classes that the file knows for the true labels, or of the whole numbers 0, 1, …. A warning names it.
  Otherwise they are refused.
- Structs, maps and objects of JSON: by their keys. A class without a key has 0 where the others of its row sum to 1,
  with a warning. In all other rows it is missing.
- Rows of another size, and keys without a label, are refused. In Python, `ca.assess` takes the same columns, and
  lists of dicts.

A file may know names for codes: `ClassLabel` of datasets and `StringIndexer` of Spark, in Parquet and Arrow. These
names become the labels, and a warning lists them. In frames of Python, codes stay codes. Ordered categories of Arrow
keep their order.

Of JSON lines only the fields that are asked for are read. Others may change their type, and may be nested to any depth.
A named field with lists or objects nested deeper than 100 is refused.
""".strip()
TEXT = """
CSV and TSV files of European programs are read as follows. Options of `classay` are in brackets. Warnings name what is
recognized without an option. If a file needs another delimiter, one error names all obstacles and the options that read
the file. Errors name rows by their lines.

- UTF-16 with a byte order mark, also compressed. Text that is not UTF-8 is read as Windows-1252 (Latin-1), with a
  warning, if its letters fit no other encoding. Otherwise it is refused.
- A first line such as `sep=;`, by which Excel names the delimiter. A `.txt` file with tabs in every line, such as the
  Unicode text of Excel, is TSV.
- Decimal commas (`--decimal ,`). Without the option, a column is read so only if the delimiter is not a comma and all
  its values have this form. Points, spaces and apostrophes may separate thousands. Values that may have a decimal comma
  or a thousands separator (`1,234`) need the option. So do values such as `1.234` if other columns have decimal commas.
- With `--decimal ,`, the delimiter of a `.csv` file is `;`, a tab or `|` if none is named.
- Percentages (`12,5%`): shares, if all values of a column have one.
- Words for missing values (`--na unknown,k.A.,-9`), in labels and in numbers, quoted or not. A word with a comma needs
  quotes: `--na 'k.A.,"<0,1"'`. It also applies to Parquet, Arrow and JSON lines.
- Empty cells that a spreadsheet adds to titles, totals and empty rows (`Study;;;;`) do not count.
- Numbers such as -99 and 999 far from all others: `classay describe` suggests `--na`, and a warning names them. They
  are scores unless `--na` names them.
- Values beyond a limit of measurement (`<0,1`, `> 100`) are refused as scores, and so are percentages among other
  numbers.
- Dates (`--date-format %d.%m.%Y`). Without the option, only ISO dates are dates.
- Lines above the header (`--header-line N`). Without the option, lines of one field above rows of equal width are
  skipped.
- Two rows of names, if groups in the first are blank or repeated and later rows have numbers below the second. The
  second row is used, or both are joined by `_` if its names repeat.
- A row of units below the header is skipped if columns of numbers have units, and all other columns are blank there.
- Totals at the end are skipped: rows that begin with a word such as `Summe` or `n = 120`, and are blank where cases
  have values, or hold sums or means of all rows. Compressed files above 8 MB are not searched for totals.
- Row names of R without a name in the header: the first column is `row.names`.

Rows that are counted part by part (`--memory`, folders, `ca.scan`) are read in the same way, except for dates. Files of
Arrow, ORC and Avro from 32 MB are read batch by batch. Only the
first rows of a file decide how numbers are written. Later rows of another form are refused. Standard input that is
counted part by part takes no options of this list.

A warning counts rows that are exact copies of other rows, if the file has ids. Another one names
scores that are a different whole number in each row, as ids are.

## Cells with text

Texts in workbooks and in files of SPSS, Stata, SAS, SQLite, R, JSON, ORC and Avro are read like cells of CSV, with the
same options. Such texts are `0,5`, `70,2%`, `1.234,50`, `12.03.2025` and words for missing values. Cells with numbers
in the same column keep their values. Text such as `1.234` is refused without `--decimal`.

A sheet may have titles above its table and notes below it. These rows are skipped, and warnings name them.

- Titles are rows with one text above the header, in merged cells or not. `--header-line N` names the row of the header.
- Two rows of names are read as in text. A sheet with several tables is refused with the range of each (`--range`).
- Notes are rows with one text, after an empty row or directly below the table. There they begin with a mark such as
  `*` or `Source:`, or have three words or more, and more than the first cells of cases.
""".strip()


def formats() -> str:
    """Every format of a wing: how it is recognized, what is read, what it needs; the surprises."""
    from classay.wings import brought, thing

    found = {name: thing(place) for name, place in brought("formats").items()}
    entries = {name: entry for name, entry in found.items() if hasattr(entry, "recognized_by")}
    rows = [
        [
            f"`{name}`",
            codes(entry.endings) or ("a folder" if hasattr(entry, "mark") else "any"),
            prose(entry.recognized_by),
            prose(entry.reads),
            f"`{entry.needs}`" if entry.needs else "",
            codes([f"--{option.replace('_', '-')}" for option in entry.options]),
        ]
        for name, entry in entries.items()
    ]
    heads = ["format", "endings", "recognized by", "what is read", "needs", "options"]
    objects = [[prose(kind.title), kind.tried, prose(kind.reads)] for kind in KINDS]
    surprises = [[f"`{each.file}`", each.tool, each.fact] for each in SURPRISES]
    return page(
        "Files",
        "CSV, TSV, JSON lines, Parquet and Arrow files are read without anything else. Formats that need a package are "
        "read with `pip install 'classay[files]'`, folders of tables with `pip install 'classay[lakes]'`. The content "
        "of a file decides which of them it is. Its ending is used only where the content is text.",
        table(heads, rows),
        "`classay describe FILE` shows how a file is read, what its columns may be, and command lines that would run. "
        "It looks at the first rows, and ids are never shown.",
        "A workbook, a compressed JSON document, or a file of R, Avro, SPSS, SAS or Stata is read only if it unpacks "
        "to at most 100 times its size and 4 GB. Compressed text may unpack to 100 times its size or 256 MB, whichever "
        "is greater. Macros, formulas and links are never executed or followed.",
        "## Lists, structs and names of classes",
        NESTED,
        "## Predictions of other programs",
        WRITTEN,
        table(["program", "command"], [[call.written, f"`classay assess {call.read}`"] for call in CALLS]),
        LIMITS,
        "## Text",
        TEXT,
        "## Objects in memory",
        "Every function that takes columns or a frame also takes the objects of this table, with the columns by name "
        "or as they are. What they offer decides how they are read. Objects of the libraries in the second column were "
        "read. An object that cannot be read is an `InputError`.",
        "Lists, NumPy 2.4.6, pandas 3.1.1 (nullable, sparse, Arrow and categorical types, too), polars 2.1.0, PyArrow "
        "26.0.1 and SciPy (sparse) are read in place.",
        table(["objects", "read with", "what is read"], objects),
        "## Lakes, engines and addresses",
        LAKES,
        "## Surprises",
        "Each row was found in a file or an object that the tool made, and is held by a test. The scripts are in "
        "`tests/outside/make/` of the repository.",
        table(["file or object", "tool", "surprise"], surprises),
    )

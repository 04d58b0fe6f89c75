#!/usr/bin/env bash
# Reads the objects of the libraries themselves, where the fast tests have stand-ins; run by hand, some minutes.
# PyTorch may be any build for processors: on Linux, the registry's own needs 3 GB. TensorFlow needs an older h5py.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

read_objects_of() {
    python3 -m venv "$work/$1"
    "$work/$1/bin/python" -m pip install -q pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.1 numpy==2.4.6 \
        narwhals==2.29.0 pytest==9.2.0 -c <(grep -v '^duckdb\|^narwhals' constraints.txt) pytest-xdist hypothesis \
        jsonschema '.[train]' "${@:2}"
    PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 "$work/$1/bin/python" -m pytest -o addopts= -q -p no:cacheprovider \
        tests/formats/test_in_memory.py tests/formats/test_stored_arrays.py
}

jax_and_zarr=("jax==0.10.2; python_version < '3.12'" "jax==0.12.0.1; python_version >= '3.12'"
    "zarr==3.1.6; python_version < '3.12'" "zarr==3.4.2; python_version >= '3.12'")
read_objects_of most torch==2.15.0 "${jax_and_zarr[@]}" datasets==5.2.0 ibis-framework==12.0.0 sqlglot==30.30.0 \
    pyarrow-hotfix==0.7 xarray==2026.9.0 catboost==1.2.10 h5py==3.16.0 dask==2026.8.0 arro3-core==0.9.1 nanoarrow==0.9.0
read_objects_of tensorflow tensorflow-cpu==2.21.0

#!/usr/bin/env bash
# Reads the objects of the libraries themselves, where the fast tests have stand-ins; run by hand, some minutes.
# PyTorch may be any build for processors: on Linux, the registry's own needs 3 GB.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q torch==2.13.0 jax==0.10.2 tensorflow-cpu==2.21.0 datasets==5.2.0 \
    ibis-framework==12.0.0 duckdb==2.0.0 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1 narwhals==2.28.0 xarray==2026.9.0 \
    catboost==1.2.10 h5py==3.16.0 zarr==3.1.6 dask==2026.8.0 arro3-core==0.9.1 nanoarrow==0.9.0 numpy==2.4.6 \
    sqlglot pyarrow-hotfix pytest==9.2.0 pytest-xdist hypothesis -e '.[train]'
"$work/venv/bin/python" -m pytest -q tests/formats/test_in_memory.py -p no:cacheprovider -m 'slow or not slow'

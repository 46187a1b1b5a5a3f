#!/usr/bin/env bash
# Reads a column of lists of structs from a Parquet file with the PyPI package `fastparquet`.
#
# Packages:  fastparquet 2026.9.0 and pyarrow 26.0.1, with pandas 3.1.1
# Guess:     fastparquet gives the lists as pyarrow does, or refuses the file because it can't read nested columns.
# Behaviour: Each value of such a column is None, like that of a row that has no list, without an error or a warning. So is each list of
#            lists (dask/fastparquet#917). The other columns are right.
# Matters:   Parquet made from an export has properties as lists of structs: a reader may find no properties and believe it. Compare a
#            count, such as that of rows with properties, before a file is trusted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
timeout 70 "$folder/venv/bin/pip" -q install --disable-pip-version-check --no-compile fastparquet==2026.9.0 pyarrow==26.0.1 pandas==3.1.1
cd "$folder"
timeout 20 venv/bin/python -W error -W ignore::ResourceWarning - <<'PYTHON'
import fastparquet
import pyarrow
import pyarrow.parquet

structs = pyarrow.list_(pyarrow.struct([("name", pyarrow.string()), ("integer", pyarrow.int64())]))
lists = pyarrow.list_(pyarrow.list_(pyarrow.string()))
table = pyarrow.table({
    "row": [1, 2],
    "properties": pyarrow.array([[{"name": "length", "integer": 7}], None], type=structs),
    "parameters": pyarrow.array([[["t", "event"]], None], type=lists),
    "texts": pyarrow.array([["a", "b"], None], type=pyarrow.list_(pyarrow.string())),
})
pyarrow.parquet.write_table(table, "rows.parquet")
right = pyarrow.parquet.read_table("rows.parquet").to_pylist()
found = fastparquet.ParquetFile("rows.parquet").to_pandas()
for name in table.column_names:
    print(f"{name}: pyarrow {[row[name] for row in right]}, fastparquet {found[name].tolist()}")
assert right == table.to_pylist()
assert found["row"].tolist() == [1, 2] and list(found["texts"][0]) == ["a", "b"]
assert found["properties"].tolist() == found["parameters"].tolist() == [None, None], "nested columns are read now"
PYTHON

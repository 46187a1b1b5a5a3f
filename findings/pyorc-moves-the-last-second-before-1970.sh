#!/usr/bin/env bash
# Writes times shortly before 1970 into an ORC file with the PyPI package `pyorc`.
#
# Packages:  pyorc 0.12.0, and pyarrow 26.0.1 to read and to compare
# Guess:     -5 ms since 1970 is the same time after it was written and read, with either package.
# Behaviour: pyorc writes times in the last second before 1970 a whole second too late: -5 ms becomes +995 ms for every reader. Whole
#            seconds and earlier times are right, and so is a file that pyarrow has written. The format keeps seconds and a fraction
#            apart, and doesn't say well which second a fraction before 1970 belongs to (Apache's ORC-645 and ORC-763).
# Matters:   Dates among properties may lie before 1970. A test of a new format must have a time between -1 s and 0, not only one in 1969.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
timeout 60 "$folder/venv/bin/pip" -q install --disable-pip-version-check --no-compile pyorc==0.12.0 pyarrow==26.0.1
cd "$folder"
timeout 20 venv/bin/python - <<'PYTHON'
import datetime

import pyarrow
import pyarrow.orc
import pyorc

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
sent = [-1500, -1000, -999, -5, 0, 5]
with open("pyorc.orc", "wb") as file, pyorc.Writer(file, "struct<time:timestamp>") as writer:
    for milliseconds in sent:
        writer.write((EPOCH + datetime.timedelta(milliseconds=milliseconds),))
times = pyarrow.array(sent, type=pyarrow.timestamp("ms"))
pyarrow.orc.write_table(pyarrow.table({"time": times}), "pyarrow.orc")


def by_pyorc(name):
    with open(name, "rb") as file:
        return [round((time - EPOCH).total_seconds() * 1000) for time, in pyorc.Reader(file)]


def by_pyarrow(name):
    return pyarrow.orc.read_table(name)["time"].cast(pyarrow.timestamp("ms")).cast(pyarrow.int64()).to_pylist()


print("sent                          ", sent)
for name in ("pyorc.orc", "pyarrow.orc"):
    print(f"{name:11} read by pyorc    {by_pyorc(name)}\n{name:11} read by pyarrow  {by_pyarrow(name)}")
assert by_pyorc("pyarrow.orc") == by_pyarrow("pyarrow.orc") == sent
late = [-1500, -1000, 1, 995, 0, 5]
assert by_pyorc("pyorc.orc") == by_pyarrow("pyorc.orc") == late, "the times have changed"
PYTHON

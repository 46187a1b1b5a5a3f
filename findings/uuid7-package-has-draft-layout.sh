#!/usr/bin/env bash
# Reads the time of an identifier that the PyPI package `uuid7` makes.
#
# Package:   uuid7 0.1.0, with CPython 3.11
# Guess:     Its uuid7() makes UUIDs of version 7 as in RFC 9562, section 5.7: the first 48 bits are milliseconds since 1970.
# Behaviour: The version says 7, but the layout is that of an early draft: 36 bits of seconds, then fractions. The first 48 bits, read as
#            milliseconds, are a time about 176 years ahead, in 2146. (uuid6 2025.0.1 and uuid-utils 0.11.1 have the RFC's layout.)
# Matters:   A collector must not take an event's time, or order, from a UUID only because its version is 7.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
timeout 60 "$folder/venv/bin/pip" -q install uuid7==0.1.0 uuid6==2025.0.1
timeout 20 "$folder/venv/bin/python" - <<'PYTHON'
import time

import uuid6
import uuid_extensions

now = time.time() * 1000


def years_ahead(identifier):
    return ((identifier.int >> 80) - now) / 1000 / 86_400 / 365.25


found = {name: make() for name, make in [("uuid7 0.1.0", uuid_extensions.uuid7), ("uuid6 2025.0.1", uuid6.uuid7)]}
for name, identifier in found.items():
    print(f"{name}: version {identifier.version}, {round(years_ahead(identifier))} years ahead")
draft, rfc = found.values()
assert draft.version == rfc.version == 7
assert abs(years_ahead(rfc)) < 0.001
# 36 bits of seconds at the start.
assert abs((draft.int >> 92) - now / 1000) < 5
assert years_ahead(draft) > 150, "the layout has changed"
PYTHON

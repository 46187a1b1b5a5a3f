"""The copy on a cluster doesn't depend on the profile of its user, which may change what statements and their answers mean.

`Scripts/clickhouse test` starts the cluster, with the user `profiled` (server/Tests/ClickHouse).
"""

import os
import pathlib
import random
import tempfile

import pytest
import requests

from test_clickhouse import SERVERS, command, options, query
from test_extremes import create_app, line
from test_lost_home import restore
from tern import Serve

pytestmark = pytest.mark.skipif(not SERVERS, reason="run Scripts/clickhouse test")
EVENTS = 3_000


@pytest.fixture(params=["cluster", "recent"])
def servers(request):
    return SERVERS if request.param == "cluster" else [os.environ["TERN_CLICKHOUSE_MODERN"]]


@pytest.fixture
def database(servers, monkeypatch):
    """A database without tables, in which the user `profiled` makes them."""
    monkeypatch.delenv("TERN_CLICKHOUSE")
    name = f"profiled_{random.randrange(1 << 40)}"
    for server in servers:
        as_tern(f"CREATE DATABASE {name}", server)
    monkeypatch.setenv("TERN_CLICKHOUSE_DATABASE", name)
    yield name
    for server in servers:
        as_tern(f"DROP DATABASE {name}", server)


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="tern-profile-") as directory:
        yield pathlib.Path(directory)


def as_tern(statement, server):
    """What the user gets whose profile is the usual one."""
    headers = {"X-ClickHouse-User": "tern", "X-ClickHouse-Key": os.environ["TERN_CLICKHOUSE_PASSWORD"]}
    answer = requests.post(server, data=statement.encode(), headers=headers, timeout=60)
    answer.raise_for_status()
    return [row.split("\t") for row in answer.text.splitlines()]


def test_a_profile_changes_nothing_of_the_copy(place, servers, database, monkeypatch):
    monkeypatch.setenv("TERN_CLICKHOUSE_USER", "profiled")
    # The profile means something: an empty count is no row, or its types are others.
    plain = "SELECT sum(x) FROM (SELECT 1 AS x) WHERE x = 7"
    assert query(plain, servers[0]) != as_tern(plain, servers[0])

    server = Serve(place)
    server.authorization = {"Authorization": f"Bearer {server.token()}"}
    app = create_app(server, "shop")
    for start in range(0, EVENTS, 500):
        server.send(app, [line("event", f"Event {number % 7}", f"00000000-0000-4000-8000-{number % 300:012}",
                               user=f"user-{number % 90}", properties={"n": number, "text": f"täxt {number}"})
                          for number in range(start, start + 500)])
    server.stop()
    cluster = [*options(servers), *(["--cluster", "tern"] if len(servers) > 1 else [])]
    command(server.data, "setup", *cluster)
    for address in servers:
        types = {kind for _, kind, *_ in as_tern(f"DESCRIBE TABLE {database}.tern_row", address)}
        assert "UInt64" in types and not any("Nullable" in kind for kind in types)
    # More than one insert, whose blocks have names of their own.
    command(server.data, "backfill", *options(servers))
    server = Serve(place)
    server.send(app, [line("event", "Later", "00000000-0000-4000-8000-000000000001", user=f"user-{number}")
                      for number in range(100)])
    server.stop()
    command(server.data, "backfill", *options(servers))
    rows = EVENTS + 100
    assert "Every row is on the cluster" in command(server.data, "status", *options(servers))
    assert f"{rows:,} rows are the same" in command(server.data, "verify", *options(servers))

    # A deletion sends units again, and waits until the older ones are gone.
    monkeypatch.setenv("TERN_CLICKHOUSE", ",".join(servers))
    server = Serve(place, *options(servers))
    said = server.command("persons", "delete", "--app", str(app["id"]), "--user", "user-7", "--yes")
    assert "Deleted the person" in said
    gone = f"SELECT count() FROM {database}.tern_row WHERE user = 'user-7'"
    assert [as_tern(gone, address) for address in servers] == [[["0"]]] * len(servers)
    server.stop()
    monkeypatch.delenv("TERN_CLICKHOUSE")
    command(server.data, "backfill", *options(servers))
    left = rows - len(range(7, EVENTS, 90)) - 1
    assert f"{left:,} rows are the same" in command(server.data, "verify", *options(servers))

    before = server.command("export", "--app", str(app["id"]))
    monkeypatch.setattr("test_lost_home.SERVERS", servers)
    restore(place, "restored", str(server.data))
    restored = Serve(place / "restored")
    after = restored.command("export", "--app", str(app["id"]))
    restored.stop()
    exported = [[row for row in text.splitlines() if row.startswith('{"row":')] for text in (before, after)]
    assert exported[0] == exported[1] and len(exported[0]) == left
    assert f"{left:,} rows are the same" in command(restored.data, "verify", *options(servers))

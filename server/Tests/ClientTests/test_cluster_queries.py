"""Each query of docs/scaling.md counts what the rows of an export say.

`Scripts/clickhouse test` starts the cluster.
"""

import json
import os
import pathlib
import random
import re
import tempfile
import time
import uuid
from collections import Counter, defaultdict

import pytest
import requests

from make_fixture import command
from test_clickhouse import SERVERS, options, query
from test_extremes import create_app
from tern import ROOT, Serve

pytestmark = pytest.mark.skipif(not SERVERS, reason="run Scripts/clickhouse test")
DAY = 86_400_000
# At noon, so that no day ends while the test runs in most of its hours, and rows of some milliseconds are on one day.
NOON = int(time.time() * 1000) // DAY * DAY - DAY // 2
PAGE = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.split("### Six questions")[1], re.DOTALL)


def rows():
    """Rows of an export that queries could count wrongly."""
    found = []

    def add(kind, name, install, time, version="1.0", **more):
        found.append({
            "row": len(found) + 1, "kind": kind, "name": name, "received": max(time, NOON - 90 * DAY) + 1_000, "time": time,
            "install": f"0f8fad5b-d9cb-469f-a165-{install:012}", "session": f"{install + 0xab00:x}", "startsSession": False,
            "device": {"timeZoneOffset": 0, "osName": "iOS", "osVersion": "18.0", "model": "iPhone16,1", "locale": "de_DE",
                       "country": "NA", "appVersion": version, "appBuild": "7", "sdkName": "tern", "sdkVersion": "1"},
            "key": {"time": time, "hash": f"{len(found) + 1:x}"}, **more})

    # The wrong way round, 100 ms apart.
    for install in range(20):
        for number, name in enumerate(["Purchase", "Cart", "Search"]):
            add("event", name, install, NOON - 3 * DAY + number * 100)
    # The right way round, all, two or one of the steps; and within a day and a millisecond more.
    for install, steps in [(100, 3), (101, 3), (102, 2), (103, 1)]:
        for number, name in enumerate(["Search", "Cart", "Purchase"][:steps]):
            add("event", name, install, NOON - 4 * DAY + number * 100, version="1.10",
                properties=[{"name": "plan", "string": "NA" if install % 2 else "007"}])
    for install, length in [(110, DAY), (111, DAY + 1)]:
        for name, moment in [("Search", 0), ("Cart", 5), ("Purchase", length)]:
            add("event", name, install, NOON - 6 * DAY + moment, version="2E5")
    # Screens of the same names are no steps, and neither are rows before 1970 or before the range.
    for install, start in [(120, NOON - 2 * DAY), (121, -5 * DAY), (122, NOON - 45 * DAY)]:
        for number, name in enumerate(["Search", "Cart", "Purchase"]):
            add("screen" if install == 120 else "event", name, install, start + number * 100, version="1.10")
    # Seen again on some days, and errors of two versions.
    for install in range(200, 207):
        for days in range(0, 12, install - 198):
            add("session_start", "", install, NOON - 13 * DAY + days * DAY, version="1.0")
            add("event", "Open", install, NOON - 13 * DAY + days * DAY + 60_000 * (install - 199), version="1.0")
    for number in range(9):
        error = {"id": str(uuid.UUID(int=number + 1)), "type": f"Type{number % 2}", "place": "f", "fingerprint": "2a",
                 "message": f"message {number % 2}", "stack": "frame", "raw": "cmF3"}
        add("crash" if number % 3 else "handled_error", "", 200 + number % 4, NOON - (number * 2 + 1) * DAY,
            version=f"1.{number % 2}", error=error)
    found.sort(key=lambda row: row["received"])
    return [row | {"row": number + 1} for number, row in enumerate(found)]


@pytest.fixture(scope="module")
def home():
    """A directory with the rows, and those of its export."""
    with tempfile.TemporaryDirectory(prefix="tern-queries-") as directory:
        place = pathlib.Path(directory)
        server = Serve(place)
        server.authorization = {"Authorization": f"Bearer {server.token()}"}
        app = create_app(server, "shop")
        assert app["id"] == 1 and app["timeZone"] == "UTC"
        server.stop()
        header = {"tern": "export", "version": 1, "server": "0", "app": 1, "name": "shop", "timeZone": "UTC"}
        (place / "in.ndjson").write_text(
            "".join(json.dumps(line) + "\n" for line in [header, *rows(), {"end": True}]), encoding="utf-8")
        command(server.data, "import", "--app", "1", str(place / "in.ndjson"))
        lines = command(server.data, "export", "--app", "1").splitlines()
        server.rows = [json.loads(line) for line in lines if line.startswith('{"row":')]
        assert len(server.rows) == len(rows())
        yield server


@pytest.fixture(params=["18.16", "26.9"])
def shipped(request, home, monkeypatch):
    """The servers with the rows, of which the first one is asked, in a database of their own."""
    monkeypatch.delenv("TERN_CLICKHOUSE", raising=False)
    home.servers = SERVERS if request.param == "18.16" else [os.environ["TERN_CLICKHOUSE_MODERN"]]
    name = f"queries_{random.randrange(1 << 40)}"
    monkeypatch.setenv("TERN_CLICKHOUSE_DATABASE", name)
    for server in home.servers:
        query(f"CREATE DATABASE {name}", server)
    cluster = ["--cluster", "tern"] if len(home.servers) > 1 else []
    command(home.data, "clickhouse", "setup", *cluster, *options(home.servers))
    # Another copy of the same rows, for which the home must not remember those of the last one.
    for file in home.data.glob("shipping.sqlite*"):
        file.unlink()
    command(home.data, "clickhouse", "backfill", *options(home.servers))
    yield lambda statement: query(statement, f"{home.servers[0]}/?database={name}")
    for server in home.servers:
        query(f"DROP DATABASE {name}", server)


def civil(row):
    return time.strftime("%Y-%m-%d", time.gmtime(row["time"] // 1000))


def since(days):
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() - days * 86_400))


def version(row):
    """As in reports."""
    return f"{row['device']['appVersion']} ({row['device']['appBuild']})"


def users_by_day_and_version(rows):
    found = {(civil(row), version(row), row["install"]) for row in rows if civil(row) >= since(30)}
    return Counter((day, name) for day, name, _ in found)


def values_of_a_property(rows):
    return Counter(property["string"] for row in rows if row["name"] == "Purchase"
                   for property in row.get("properties", []) if property["name"] == "plan")


def funnel(rows):
    """The furthest step of each install, tried from each of its searches."""
    times = defaultdict(list)
    for row in rows:
        if row["kind"] == "event" and since(30) <= civil(row) <= since(0):
            times[row["install"]].append((row["time"], row["name"]))
    furthest = Counter()
    for events in times.values():
        best = 0
        for start in [time for time, name in events if name == "Search"]:
            last, step = start, 1
            for name in ["Cart", "Purchase"]:
                later = [time for time, other in events if other == name and last < time <= start + DAY]
                if not later:
                    break
                last, step = min(later), step + 1
            best = max(best, step)
        furthest[best] += 1
    return furthest


def retention(rows):
    days = defaultdict(set)
    for row in rows:
        days[row["install"]].add(row["time"] // DAY)
    # Dates of ClickHouse begin in 1970.
    return Counter((time.strftime("%Y-%m-%d", time.gmtime(min(seen) * 86_400)), day - min(seen))
                   for seen in days.values() if min(seen) >= 0 for day in seen)


def lengths_of_sessions(rows):
    times = defaultdict(list)
    for row in rows:
        if civil(row) >= since(7):
            times[row["install"], row["session"]].append(row["time"])
    lengths = sorted((max(found) - min(found)) / 1000 for found in times.values())
    return [lengths[int(len(lengths) * share)] for share in (0.5, 0.9)], len(lengths)


def errors(rows):
    found = defaultdict(list)
    for row in rows:
        if row["kind"] in ("crash", "handled_error") and civil(row) >= since(14):
            found[version(row), row["error"]["type"], row["error"]["message"]].append(row["install"])
    return {name: (len(installs), len(set(installs))) for name, installs in found.items()}


def test_each_query_of_the_page_counts_what_the_export_says(home, shipped, request):
    assert len(QUERIES) == 6
    users, plans, steps, returns, sessions, crashes = QUERIES
    rows = home.rows
    assert {(day, name): int(count) for day, name, count in shipped(users)} == users_by_day_and_version(rows)
    assert {plan: int(count) for plan, count in shipped(plans)} == values_of_a_property(rows)
    found = {(day, int(later)): int(count) for day, later, count in shipped(returns) if day > "1970-01-01"}
    assert found == retention(rows)
    [[lengths, count]] = shipped(sessions)
    assert (json.loads(lengths), int(count)) == lengths_of_sessions(rows)
    assert {(name, kind, text): (int(times), int(installs)) for name, kind, text, times, installs in shipped(crashes)} == errors(rows)

    expected = funnel(rows)
    # Those of the wrong way round took one step; the three that took all took them within a day.
    assert expected == {0: 7, 1: 21, 2: 2, 3: 3}
    if request.node.callspec.params["shipped"] == "18.16":
        with pytest.raises(requests.HTTPError) as refused:
            shipped(steps)
        assert "windowFunnel" in refused.value.response.text
    else:
        assert {int(step): int(count) for step, count in shipped(steps)} == expected


def test_the_funnel_of_the_page_is_that_of_tern(home):
    """Tern counts an install under each step that it took."""
    server = Serve(home.data.parent)
    try:
        answer = requests.post(
            f"{server.address}/api/v1/apps/1/funnel", headers=home.authorization, timeout=60,
            json={"steps": [{"event": name} for name in ("Search", "Cart", "Purchase")], "window": "1d", "date_range": "31d"})
        assert answer.ok, answer.text
        persons = [step["persons"] for step in answer.json()["results"][0]["steps"]]
    finally:
        server.stop()
    furthest = funnel(home.rows)
    assert persons == [sum(count for step, count in furthest.items() if step >= least) for least in (1, 2, 3)]

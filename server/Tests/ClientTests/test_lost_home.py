"""A server is killed under load and its directory deleted. Made again from the cluster, it says the same, to the byte.

`Scripts/clickhouse test` starts the cluster. SEED repeats a run, apart from the moment of the kill.
"""

import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time

import pytest
import requests

from make_fixture import FIXTURES, command
from test_clickhouse import SERVERS, options
from test_extremes import line
from tern import PROGRAM, Serve

SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
VERSION = sorted(path.name for path in FIXTURES.iterdir() if path.name[0].isdigit())[-1]
REPORTS = ["overview", "events", "screens", "errors", "versions", "devices", "countries", "languages", "dropped"]
VIEW_REPORTS = [
    "overview", "screens", "landing", "exits", "depth", "flow", "events", "exceptions", "timings", "ecommerce", "shopping",
    "checkout", "promotions", "lists", "social", "devices", "versions", "acquisition", "custom", "late", "hits"]
QUESTIONS = {
    "query": {"metrics": ["events", "users", "sessions", "crashes"], "dimensions": ["version"]},
    "funnel": {"steps": [{"any": True}, {"any": True}]},
    "retention": {},
    "lifecycle": {"interval": "day"},
    "stickiness": {"interval": "week"},
    "paths": {"nodes": "both"},
    "persons": {"new": {}},
    "releases": {"conversions": [{"per_user": {"any": True}}]},
}
APP_CENTER = [
    "active_device_counts", "session_counts", "sessions_per_device", "session_durations_distribution", "crash_counts",
    "events", "versions", "models", "oses", "languages", "places"]
BLOCK = struct.Struct("<IIqQ")

pytestmark = pytest.mark.skipif(not SERVERS, reason="run Scripts/clickhouse test")


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    """A server without the option has no cluster: two with the same name must not ship."""
    monkeypatch.delenv("TERN_CLICKHOUSE")


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="tern-lost-") as directory:
        yield pathlib.Path(directory)


class Load:
    """Sends events until it is told to stop, or the server is gone."""

    def __init__(self, server, key, chance):
        self.server, self.key, self.chance = server, key, chance
        self.confirmed = 0
        self.isOver = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.isOver:
            lines = [
                line(self.chance.choice(["event", "screen"]), f"Load {self.chance.randrange(9)}",
                     f"00000000-0000-4000-8000-{self.chance.randrange(300):012}", user=f"ü{self.chance.randrange(40)}",
                     properties={"n": self.chance.randrange(1000), "half": self.chance.random(), "text": f"täxt {n}"})
                for n in range(200)]
            try:
                self.server.send({"key": self.key}, lines)
            except requests.ConnectionError:
                return
            self.confirmed += len(lines)

    def end(self):
        self.isOver = True
        self.thread.join()


def cut(data, last):
    """Removes all rows after one from a directory, with everything that was counted from them."""
    database = sqlite3.connect(data / "warehouse.sqlite")
    first, segment, offset, count = database.execute(
        "SELECT first_id, segment, offset, bytes FROM span WHERE first_id <= ? ORDER BY first_id DESC LIMIT 1", (last,)).fetchone()
    rows = (data / f"rows/{segment}.rows").read_bytes()
    position = offset
    while position < offset + count:
        size, number, start, _ = BLOCK.unpack_from(rows, position)
        if start > last:
            break
        position += BLOCK.size + size
        assert start + number - 1 <= last, "a unit ends with a commit"
    database.execute("UPDATE span SET last_id = ?, bytes = ? WHERE first_id = ?", (last, position - offset, first))
    database.execute("DELETE FROM span WHERE first_id > ?", (last,))
    database.execute("DELETE FROM span_session WHERE first_id >= ?", (first,))
    database.execute("DELETE FROM hit")
    database.execute("DELETE FROM state WHERE name = 'hits'")
    database.execute("DELETE FROM view_open_day")
    database.commit()
    database.close()
    for name in ["counts.sqlite", "counts.sqlite-wal", "counts.sqlite-shm"]:
        (data / name).unlink(missing_ok=True)
    for name in ["keys", "columns", "work"]:
        shutil.rmtree(data / name, ignore_errors=True)


def answers(server, facts):
    """Everything that a server says about its apps, by name."""
    said = {}
    headers = {"Authorization": f"Bearer {facts['token']}"}
    period = {"from": facts["from"], "to": facts["to"]}

    def get(path, **parameters):
        answer = requests.get(server.address + path, params=parameters, headers=headers, timeout=60)
        assert answer.ok, (path, parameters, answer.text)
        said[f"{path} {parameters}"] = answer.text

    for app in (1, facts["app"]):
        base = f"/api/v1/apps/{app}"
        for name in REPORTS:
            for form in ("json", "csv", "table"):
                get(f"{base}/reports/{name}", format=form, **period)
        if app == facts["app"]:
            get(f"{base}/reports/event", event="Load 1", **period)
        for name in APP_CENTER:
            get(f"/v0.1/apps/any/{app}/analytics/{name}", start=facts["from"], end=facts["to"])
        for form in ("ndjson", "csv"):
            get(f"{base}/export", format=form)
        for kind, question in QUESTIONS.items():
            answer = requests.post(
                f"{server.address}{base}/{kind}", json=question | {"date_range": [facts["from"], facts["to"]]},
                headers=headers, timeout=60)
            assert answer.ok, (kind, answer.text)
            said[f"{app} {kind}"] = json.dumps(answer.json()["results"], indent=1, sort_keys=True)
    for name in VIEW_REPORTS:
        get(f"/api/v1/apps/{facts['app']}/reports/{name}", view=facts["view"], format="csv", **period)
    # Whether a day is final depends on when one looks.
    return {name: re.sub(r",(final|closed|open)\b", ",", text) for name, text in said.items()}


def restore(place, name, *arguments):
    (place / name).mkdir()
    done = subprocess.run(
        [PROGRAM, "restore", "--from-clickhouse", *arguments, *options(SERVERS), "--data", str(place / name / "data")],
        capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_home_that_was_killed_and_deleted_says_the_same_after_it_was_restored(place):
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    shutil.copytree(FIXTURES / VERSION / "data", place / "data")
    facts = json.loads((FIXTURES / VERSION / "facts.json").read_text(encoding="utf-8"))
    facts["to"] = time.strftime("%Y-%m-%d", time.gmtime())
    # Another home than that of the other runs with this fixture.
    number = random.randrange(1, 1 << 63)
    catalog = sqlite3.connect(place / "data/catalog.sqlite")
    catalog.execute("INSERT INTO setting VALUES ('cluster_home', ?)", (str(number),))
    catalog.commit()
    catalog.close()
    command(place / "data", "clickhouse", "setup", "--cluster", "tern", *options(SERVERS))
    home = Serve(place, *options(SERVERS))
    load = Load(home, facts["key"], chance)
    time.sleep(2 + chance.random())
    load.end()
    home.stop()
    command(home.data, "clickhouse", "backfill", *options(SERVERS))
    assert f"home {number}" in command(home.data, "clickhouse", "status", *options(SERVERS))
    home = Serve(place, *options(SERVERS))
    load = Load(home, facts["key"], chance)
    time.sleep(1 + 2 * chance.random())
    home.process.kill()
    home.process.wait()
    load.end()
    assert load.confirmed
    # Some of the last rows are shipped, or none, and the directory is gone.
    backfill = subprocess.Popen(
        [PROGRAM, "clickhouse", "backfill", "--data", str(home.data), *options(SERVERS)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.2 + chance.random())
    backfill.kill()
    backfill.wait()
    (place / "kept").mkdir()
    shutil.move(place / "data", place / "kept/data")

    said = restore(place, "restored", str(place / "kept/data"))
    last = int(said.split("up to row ")[1].split(",")[0])
    assert f"rows of home {number}" in said and "Taken from the backup" in said
    assert "metrics match" in command(place / "restored/data", "verify")
    cut(place / "kept/data", last)
    kept, restored = Serve(place / "kept"), Serve(place / "restored")
    try:
        expected, found = answers(kept, facts), answers(restored, facts)
        assert expected.keys() == found.keys()
        differ = [name for name in expected if expected[name] != found[name]]
        for name in differ[:3]:
            for before, after in zip(expected[name].splitlines(), found[name].splitlines()):
                if before != after:
                    print(name, before[:600], after[:600], sep="\n")
                    break
        assert not differ
        # The directory recognizes what it has stored, and stores what was lost when it is sent again.
        again = requests.post(
            f"{restored.address}/v1/events", data=facts["again"], headers={"Tern-Key": facts["key"]}, timeout=60)
        assert again.ok and again.json()["accepted"] == 0, again.text
        restored.send({"key": facts["key"]}, [line("event", "After", "00000000-0000-4000-8000-000000000001")])
    finally:
        kept.stop()
        restored.stop()
    # It goes on with the copy: nothing is there twice.
    command(restored.data, "clickhouse", "backfill", *options(SERVERS))
    assert "are the same on every replica" in command(restored.data, "clickhouse", "verify", *options(SERVERS))


def test_without_a_catalog_apps_are_described_and_a_wrong_time_zone_is_refused(place):
    shutil.copytree(FIXTURES / VERSION / "data", place / "data")
    number = random.randrange(1, 1 << 63)
    catalog = sqlite3.connect(place / "data/catalog.sqlite")
    catalog.execute("INSERT INTO setting VALUES ('cluster_home', ?)", (str(number),))
    apps = catalog.execute("SELECT id, time_zone, key FROM app").fetchall()
    catalog.commit()
    catalog.close()
    command(place / "data", "clickhouse", "setup", "--cluster", "tern", *options(SERVERS))
    command(place / "data", "clickhouse", "backfill", *options(SERVERS))

    def fails(*arguments):
        done = subprocess.run(
            [PROGRAM, "restore", "--from-clickhouse", *arguments, *options(SERVERS), "--data", str(place / "new")],
            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 2 and not (place / "new").exists() and not (place / "new.unfinished").exists()
        return done.stderr

    assert f"home {number}, epoch" in fails()
    assert "no rows of home 1" in fails("--home", "1")
    assert "rows of app 1" in fails("--home", str(number))
    described = [option for app, zone, key in apps for option in ("--app", f"{app},zone={zone},key={key},name=App {app}")]
    wrong = [option.replace(f"zone={apps[0][1]}", "zone=Pacific/Kiritimati") for option in described]
    assert "Give the zone that the app had" in fails("--home", str(number), *wrong)
    said = restore(place, "restored", "--home", str(number), *described)
    assert "Without the old catalog" in said
    assert "metrics match" in command(place / "restored/data", "verify")
    for app, _, _ in apps:
        before, after = (command(path / "data", "export", "--app", str(app)) for path in (place, place / "restored"))
        rows = [[row for row in text.splitlines() if row.startswith('{"row":')] for text in (before, after)]
        assert rows[0] == rows[1] and rows[0]
    assert "are the same on every replica" in command(place / "restored/data", "clickhouse", "verify", *options(SERVERS))

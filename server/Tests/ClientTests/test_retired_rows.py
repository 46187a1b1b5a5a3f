"""Rows that have left home: every answer has the same bytes as before, and faults of the cluster change none.

`Scripts/clickhouse test` starts the cluster. SEED repeats a run; EVENTS (3,000) and SEGMENTS (6) make it longer.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import uuid

import pytest
import requests

from make_fixture import command
from test_clickhouse import Deck, FOLDER, FaultyProxy, Outages, SCRIPT, SERVERS, options, query
from test_extremes import create_app, line
from test_lost_home import answers, restore
from tern import PROGRAM, Serve

SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
EVENTS = int(os.environ.get("EVENTS") or 3_000)
SEGMENTS = int(os.environ.get("SEGMENTS") or 6)
DAY = 86_400_000
TODAY = int(time.time() * 1000) // DAY * DAY
RETIRING = ["--recognize-duplicates", "7d"]

pytestmark = pytest.mark.skipif(not SERVERS, reason="run Scripts/clickhouse test")


@pytest.fixture(autouse=True)
def cluster(monkeypatch):
    """Sets or removes the cluster of commands that have no option for it. Without this, servers have none."""
    monkeypatch.delenv("TERN_CLICKHOUSE")
    return lambda servers: monkeypatch.setenv("TERN_CLICKHOUSE", ",".join(servers))


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="tern-retired-") as directory:
        yield pathlib.Path(directory)


def row(number, chance):
    """A row of an export, received 60 to 100 days ago; rows with higher numbers later."""
    received = TODAY - 100 * DAY + number * (40 * DAY // max(EVENTS, 1)) % (40 * DAY)
    kind = chance.choice(["event"] * 6 + ["screen"] * 3 + ["session_start", "handled_error", "crash"])
    install = chance.randrange(400)
    isHit = kind in ("event", "screen") and chance.random() < 0.3
    row = {
        "row": number + 1, "kind": kind, "name": f"Load {chance.randrange(9)}", "received": received,
        "time": received - chance.choice([0, 10, 5_000, 3_600_000, 2 * DAY]),
        "install": f"0f8fad5b-d9cb-469f-a165-{install:012}", "session": f"{install * 64 + chance.randrange(64):x}",
        "device": {
            "timeZoneOffset": 120, "osName": chance.choice(["iOS", "macOS"]), "osVersion": f"1{chance.randrange(9)}.0",
            "model": f"iPhone{chance.randrange(5)},1", "locale": chance.choice(["de_DE", "en_US"]),
            "country": chance.choice(["DE", "US", "BR"]), "appVersion": f"1.{chance.randrange(4)}", "appBuild": "7",
            "sdkName": "tern", "sdkVersion": "1"},
        "properties": [
            {"name": "text", "string": f"täxt {chance.randrange(30)}"}, {"name": "n", "integer": chance.randrange(-99, 99)},
            {"name": "half", "double": chance.random()}, {"name": "isNew", "boolean": chance.random() < 0.5}],
    }
    if chance.random() < 0.6:
        row["user"] = f"ü{install // 3}"
    if chance.random() < 0.8:
        row["key"] = {"time": row["time"], "hash": f"{chance.getrandbits(63):x}"}
    if kind in ("handled_error", "crash"):
        group = chance.randrange(12)
        row["error"] = {
            "id": str(uuid.UUID(int=chance.getrandbits(128))), "type": f"Type{group}", "place": f"f{group}", "fingerprint": f"{group + 1:x}",
            "message": f"message {chance.randrange(5)}", "stack": "frame\nframe", "raw": "cmF3"}
    if isHit:
        row |= {"measurement": True, "parameters": [["cd", row["name"]], ["t", "screenview" if kind == "screen" else "event"]]}
    return row


class OldHome:
    """A directory with old rows, in segments that end with each part."""

    def __init__(self, place, chance):
        self.place, self.chance, self.rows = place, chance, 0
        server = Serve(place)
        token = server.token()
        server.authorization = {"Authorization": f"Bearer {token}"}
        app = create_app(server, "shop")
        view = requests.post(
            f"{server.address}/api/v1/apps/{app['id']}/views", json={"name": "Hits", "timeZone": "UTC"},
            headers=server.authorization, timeout=60).json()
        server.stop()
        self.data = server.data
        self.app = app
        self.facts = {
            "app": app["id"], "view": view["id"], "token": token, "key": app["key"],
            "from": time.strftime("%Y-%m-%d", time.gmtime(TODAY / 1000 - 110 * 86_400)), "to": time.strftime("%Y-%m-%d")}
        command(self.data, "clickhouse", "setup", "--cluster", "tern", *options(SERVERS))

    def add(self, count):
        zone = self.app.get("timeZone", "UTC")
        header = {"tern": "export", "version": 1, "server": "0", "app": 1, "name": "shop", "timeZone": zone}
        rows = [row(self.rows + number, self.chance) for number in range(count)]
        path = self.place / "part.ndjson"
        path.write_text("".join(json.dumps(line) + "\n" for line in [header, *rows, {"end": True}]), encoding="utf-8")
        command(self.data, "import", "--app", str(self.app["id"]), str(path))
        self.rows += count
        # No rows are appended to a file that doesn't end with the last row that counts.
        newest = max((self.data / "rows").glob("*.rows"), key=lambda path: int(path.stem))
        with open(newest, "ab") as file:
            file.write(b"\0")

    def end(self):
        """Stores a few new rows, which stay."""
        server = Serve(self.place)
        server.send(self.app, [line("event", "New", "00000000-0000-4000-8000-000000000001")])
        server.stop()
        (self.place / "kept").mkdir()
        shutil.copytree(self.data, self.place / "kept/data")

    def retire(self, servers, check=True):
        done = subprocess.run(
            [PROGRAM, "clickhouse", "retire", "--before", time.strftime("%Y-%m-%d"), "--yes", *RETIRING, *options(servers),
             "--data", str(self.data)], capture_output=True, text=True, timeout=300)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def segments(self):
        return len(list((self.data / "rows").glob("*.rows")))


def backfill(data, servers, timeout=300):
    return subprocess.run(
        [PROGRAM, "clickhouse", "backfill", "--data", str(data), *options(servers)], capture_output=True, text=True,
        timeout=timeout)


def test_every_answer_has_the_same_bytes_after_the_rows_have_left(place, cluster):
    print(f"SEED={SEED}")
    home = OldHome(place, random.Random(SEED))
    for _ in range(6):
        home.add(EVENTS // 6)
    home.end()
    assert backfill(home.data, SERVERS).returncode == 0
    assert f"{home.rows:,} rows have left" in home.retire(SERVERS)
    assert home.segments == 1
    kept, retired = Serve(place / "kept"), Serve(place, *RETIRING, *options(SERVERS))
    try:
        expected, found = answers(kept, home.facts), answers(retired, home.facts)
        assert expected.keys() == found.keys()
        assert [name for name in expected if expected[name] != found[name]] == []
        assert f'"row":{home.rows + 1},' in expected[f"/api/v1/apps/{home.app['id']}/export {{'format': 'ndjson'}}"]
    finally:
        kept.stop()
        retired.stop()
    cluster(SERVERS)
    assert "metrics match" in command(home.data, "verify")
    shutil.rmtree(home.data / "rows/fetched")

    # Nothing listens there.
    alone = Serve(place, *RETIRING, "--clickhouse", "http://127.0.0.1:1")
    try:
        headers = {"Authorization": f"Bearer {home.facts['token']}"}
        base = f"{alone.address}/api/v1/apps/{home.app['id']}"
        period = {"from": home.facts["from"], "to": home.facts["to"], "format": "csv"}
        for name in ["overview", "events", "versions"]:
            answer = requests.get(f"{base}/reports/{name}", params=period, headers=headers, timeout=60)
            assert answer.text == expected[f"/api/v1/apps/{home.app['id']}/reports/{name} " + str({"format": "csv", "from": period["from"], "to": period["to"]})]
        # An answer that has begun can only break off, so that nobody takes it for a whole one.
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            requests.get(f"{base}/export", headers=headers, timeout=60)
        alone.send(home.app, [line("event", "Collected", "00000000-0000-4000-8000-000000000001")])
    finally:
        alone.stop()
    cluster(["http://127.0.0.1:1"])
    done = subprocess.run(
        [PROGRAM, "export", "--app", str(home.app["id"]), "--data", str(home.data)], capture_output=True, text=True, timeout=60)
    assert done.returncode and "cluster" in done.stderr and '"end":true' not in done.stdout, done.stderr


def test_rows_leave_a_server_that_runs_when_it_is_asked(place, cluster):
    print(f"SEED={SEED}")
    home = OldHome(place, random.Random(SEED))
    for _ in range(3):
        home.add(EVENTS // 3)
    home.end()
    assert backfill(home.data, SERVERS).returncode == 0
    kept = Serve(place / "kept")
    expected = answers(kept, home.facts)
    kept.stop()
    server = Serve(place, *RETIRING, *options(SERVERS))

    def retire(day, *arguments):
        before = time.strftime("%Y-%m-%d", time.gmtime(TODAY / 1000 + day * 86_400))
        return subprocess.run(
            [PROGRAM, "clickhouse", "retire", "--before", before, *arguments, *RETIRING, *options(SERVERS), "--data", str(home.data)],
            capture_output=True, text=True, timeout=120)

    try:
        # The second file has a row of day -75.
        for day, left in [(-85, 1), (-75, 0), (0, 2)]:
            segments = home.segments
            preview = retire(day)
            said = f"Up to {left * EVENTS // 3:,} rows" if left else "No rows can leave"
            assert preview.returncode and said in preview.stderr and ("--yes" in preview.stderr) == (left > 0), preview
            assert home.segments == segments
            done = retire(day, "--yes")
            said = f"{left * EVENTS // 3:,} rows have left" if left else "No rows have left"
            assert done.returncode == 0 and said in done.stdout, done
            assert home.segments == segments - left
        found = answers(server, home.facts)
        assert [name for name in expected if expected[name] != found[name]] == []
        headers = {"Authorization": f"Bearer {home.facts['token']}"}
        metrics = requests.get(f"{server.address}/metrics", headers=headers, timeout=60)
        assert f"\ntern_cluster_retired_rows {home.rows}\n" in metrics.text
    finally:
        server.stop()
    cluster(SERVERS)
    assert "metrics match" in command(home.data, "verify")


class FullDisk:
    """A node with a small disk that can be filled; needs root."""

    NODE, MIB = "s1r2", 512

    def __init__(self):
        self.data = pathlib.Path(FOLDER) / self.NODE / "data"
        self.moved = self.data.with_name("moved")
        self.restart(lambda: (
            shutil.move(self.data, self.moved), self.data.mkdir(),
            self.mount(), shutil.copytree(self.moved, self.data, symlinks=True, dirs_exist_ok=True)))

    def mount(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.MIB}m", "tmpfs", self.data], check=True)

    def restart(self, work):
        subprocess.run([SCRIPT, "kill", self.NODE, FOLDER], check=True, capture_output=True, timeout=90)
        work()
        subprocess.run([SCRIPT, "start", self.NODE, FOLDER], check=True, capture_output=True, timeout=90)

    def fill(self):
        """Takes all room that is left; returns False if there was none."""
        with open(self.data / "filling", "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                return file.tell() > 0

    def empty(self):
        (self.data / "filling").unlink(missing_ok=True)

    def end(self):
        self.empty()
        self.restart(lambda: (
            shutil.copytree(self.data, self.moved, symlinks=True, dirs_exist_ok=True),
            subprocess.run(["umount", self.data], check=True), shutil.rmtree(self.data), shutil.move(self.moved, self.data)))


def pass_window(chance):
    """Inserts more blocks than ClickHouse remembers, of another home: what is repeated now, it would not ignore."""
    for server in SERVERS[::2]:
        for _ in range(101):
            query(f"INSERT INTO tern_row (home, id) VALUES (1, {chance.randrange(1 << 60)})", server)


@pytest.mark.skipif(SEGMENTS <= 12 or os.geteuid() != 0, reason="needs root; run Scripts/clickhouse faults")
def test_faults_of_a_full_disk_and_of_late_repetitions_leave_each_row_there_once(place, cluster):
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    home = OldHome(place, chance)
    disk = FullDisk()
    outcomes = []
    try:
        for number in range(8):
            home.add(2_000)
            if number % 2:
                assert disk.fill()
            process = subprocess.Popen(
                [PROGRAM, "clickhouse", "backfill", "--data", str(home.data), *options(SERVERS)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                # Every fourth runs to its end, if the disk lets it.
                process.wait(90 if number % 4 == 3 else 0.3 + 2 * chance.random())
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            outcomes.append(process.returncode)
            disk.empty()
            pass_window(chance)
    finally:
        disk.end()
    home.end()
    assert backfill(home.data, SERVERS).returncode == 0
    assert "are the same on every replica" in command(home.data, "clickhouse", "verify", *options(SERVERS))
    home.retire(SERVERS)
    assert home.segments == 1
    cluster(SERVERS)
    assert command(home.data, "export", "--app", str(home.app["id"])) == command(
        place / "kept/data", "export", "--app", str(home.app["id"]))
    print("outcomes of backfilling:", outcomes)


def test_rows_that_left_before_the_record_was_lost_are_restored_with_all_others(place):
    print(f"SEED={SEED}")
    home = OldHome(place, random.Random(SEED))
    for _ in range(3):
        home.add(EVENTS // 6)
    home.end()
    assert backfill(home.data, SERVERS).returncode == 0
    assert f"{home.rows:,} rows have left" in home.retire(SERVERS)
    for path in home.data.glob("shipping.sqlite*"):
        path.unlink()
    refused = backfill(home.data, SERVERS)
    assert refused.returncode and "--discard-older" in refused.stderr
    said = command(home.data, "clickhouse", "setup", "--discard-older", "--cluster", "tern", *options(SERVERS))
    assert f"{home.rows:,} rows that have left home stay" in said
    assert backfill(home.data, SERVERS).returncode == 0
    assert "are the same on every replica" in command(home.data, "clickhouse", "verify", *options(SERVERS))

    (place / "lost").mkdir()
    shutil.move(home.data, place / "lost/data")
    said = restore(place, "restored", str(place / "lost/data"))
    assert "not in this directory" not in said
    kept, restored = Serve(place / "kept"), Serve(place / "restored")
    try:
        expected, found = answers(kept, home.facts), answers(restored, home.facts)
    finally:
        kept.stop()
        restored.stop()
    assert [name for name in expected if expected[name] != found[name]] == []
    # The new home goes on with what the lost one sent, in both epochs.
    assert backfill(restored.data, SERVERS).returncode == 0
    assert "are the same on every replica" in command(restored.data, "clickhouse", "verify", *options(SERVERS))


def test_faults_of_the_cluster_change_no_row_that_has_left(place, cluster):
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    home = OldHome(place, chance)
    inserts, reads = Deck(chance, FaultyProxy.INSERTS), Deck(chance, FaultyProxy.READS)
    proxies = [FaultyProxy(server, random.Random(chance.random()), inserts, reads) for server in SERVERS]
    addresses = [proxy.address for proxy in proxies]
    outages = Outages(random.Random(chance.random())) if FOLDER and SEGMENTS > 12 else None
    try:
        for number in range(SEGMENTS):
            home.add(max(20, EVENTS // 6 // SEGMENTS))
            lagging = SERVERS[chance.randrange(len(SERVERS))]
            if not outages:
                query("SYSTEM STOP FETCHES", lagging)
            process = subprocess.Popen(
                [PROGRAM, "clickhouse", "backfill", "--data", str(home.data), *options(addresses)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.3 + 3 * chance.random())
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if not outages:
                query("SYSTEM START FETCHES", lagging)
    finally:
        if outages:
            outages.end()
            print("killed:", " ".join(outages.killed))
    home.end()
    assert backfill(home.data, SERVERS).returncode == 0
    # Through faults some of it may have to be repeated, but what leaves is right.
    for _ in range(5):
        home.retire(addresses, check=False)
    home.retire(SERVERS)
    assert home.segments == 1
    expected = command(place / "kept/data", "export", "--app", str(home.app["id"]))
    assert expected.count('"row":') == home.rows + 1
    shutil.rmtree(home.data / "rows/fetched", ignore_errors=True)
    cluster(addresses)
    right = tries = 0
    while right < 3 and tries < 20 + SEGMENTS:
        tries += 1
        done = subprocess.run(
            [PROGRAM, "export", "--app", str(home.app["id"]), "--data", str(home.data)],
            capture_output=True, text=True, timeout=300)
        # A failure says so; an answer is right.
        assert done.returncode or done.stdout == expected
        # What was fetched stays until an answer is complete: hundreds of units are never fetched without a fault, and an export
        # ends at the first one.
        if not done.returncode:
            right += 1
            shutil.rmtree(home.data / "rows/fetched", ignore_errors=True)
    print({name: sum(proxy.faults[name] for proxy in proxies) for name in proxies[0].faults}, f"{right} of {tries} exports")
    cluster(SERVERS)
    assert command(home.data, "export", "--app", str(home.app["id"])) == expected
    assert right and sum(proxy.faults["lied"] + proxy.faults["halved"] for proxy in proxies)
    assert "are the same on every replica" in command(home.data, "clickhouse", "verify", *options(SERVERS))

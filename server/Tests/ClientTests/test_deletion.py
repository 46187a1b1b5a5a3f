"""A deleted person is in no file of the data directory any more: neither in the open, nor compressed, nor in a free page."""

import json
import pathlib
import subprocess
import tempfile
import uuid
import zlib
from urllib.parse import quote

import pytest
import requests

from tern import PROGRAM, Serve
from test_extremes import create_app, is_stored, line
from test_rights import SECRETS, send

UNKNOWN = "unknown person@example.com"
OTHER = "0ff1ce00-1111-4000-8000-00000000cafe"


def forms(secret):
    """The bytes as which a name may be stored."""
    found = {secret.encode(), secret.lower().encode(), secret.upper().encode(), quote(secret, safe="").encode(),
             json.dumps(secret)[1:-1].encode()}
    try:
        identifier = uuid.UUID(secret)
        found |= {identifier.bytes, identifier.bytes_le, identifier.hex.encode(), identifier.hex.upper().encode(),
                  identifier.bytes[:8][::-1] + identifier.bytes[8:][::-1], identifier.bytes[::-1]}
    except ValueError:
        pass
    return found


def inflated(data):
    """What can be inflated, from wherever in a file a stream may begin."""
    for start in range(len(data) - 2):
        # A raw stream begins with a block of one of three types; a header of zlib is followed by one.
        if data[start] & 6 == 6:
            continue
        try:
            text = zlib.decompressobj(-15).decompress(data[start:start + 1_000_000], 1 << 20)
        except zlib.error:
            continue
        if len(text) > 24:
            yield text


def search(directory, secrets, inflates=True):
    """The names of the secrets that the files of a directory have, with the files."""
    found = {}
    for path in sorted(pathlib.Path(directory).rglob("*")):
        if not path.is_file() or path.name.endswith("-shm"):
            continue
        data = path.read_bytes()
        texts = [data]
        # Inflating the databases from each byte would take minutes; what they compress is in columns of their own.
        if inflates and not path.name.startswith(("catalog.", "output")):
            texts += [data] if len(data) > 2_000_000 else inflated(data)
        for text in texts:
            for name, secret in secrets.items():
                if any(form in text for form in forms(secret)):
                    found.setdefault(name, set()).add(path.name)
    return found


def delete(server, app, *person):
    return subprocess.run(
        [PROGRAM, "persons", "delete", "--app", str(app["id"]), *person, "--yes", "--data", str(server.data)],
        check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.fixture(scope="module")
def site():
    with tempfile.TemporaryDirectory(prefix="tern-deletion-") as directory:
        server = Serve(directory)
        server.authorization = {"Authorization": f"Bearer {server.token()}"}
        try:
            yield server, create_app(server, "Planted")
        finally:
            server.stop()


def plant(server, app):
    """Stores persons in every place that may have them, and someone else who stays."""
    send(server, app)
    server.send(app, [line("screen", "Home", OTHER, user="other"), line("event", "Play", OTHER, user="other")])
    # A hit that is refused, with the user and the client in its text.
    requests.post(f"{server.address}/collect", timeout=60, data={
        "v": "1", "tid": app["trackingId"], "cid": SECRETS["client"], "uid": SECRETS["hit's user"], "t": "nonsense"})
    # Someone of whom there is nothing but such a hit.
    requests.post(f"{server.address}/collect", timeout=60, data={
        "v": "1", "tid": app["trackingId"], "cid": OTHER, "uid": UNKNOWN, "t": "nonsense"})
    base = f"{server.address}/api/v1/apps/{app['id']}"
    user = SECRETS["user"]
    segments = {"Only": [["is", "user", [user]]], "Both": [["is", "user", [user, "other"]]],
                "Someone else": [["is", "user", ["other"]]]}
    for name, filters in segments.items():
        answer = requests.post(f"{base}/segments", json={"name": name, "filters": filters}, timeout=60,
                               headers=server.authorization)
        assert answer.ok, answer.text
    cards = [{"name": name, "page": "explore", "query": f"metric=users&f1={dimension}&o1=is&v1={quote(value)}"}
             for name, dimension, value in (("named", "property:mail", user), ("plain", "country", "DE"))]
    answer = requests.post(f"{base}/dashboards", json={"name": "Board", "cards": cards}, timeout=60,
                           headers=server.authorization)
    assert answer.ok, answer.text
    # A question that names the person is remembered while it is answered, and its answer for a while.
    requests.post(f"{base}/query", json={"metrics": ["events"], "filters": segments["Only"], "date_range": "7d"},
                  headers=server.authorization, timeout=60)


def test_a_deleted_person_is_in_no_file(site):
    server, app = site
    plant(server, app)
    is_stored(server, app, 8)
    secrets = SECRETS | {"sample": UNKNOWN}
    before = search(server.data, secrets)
    assert set(before) == set(secrets), f"the search does not find {set(secrets) - set(before)}"
    assert any(name.startswith("catalog") for name in before["user"])
    # Installs that only they used go with users.
    result = delete(server, app, "--user", SECRETS["user"])
    assert "1 segments without the person, 1 segments removed, 1 cards removed" in result, result
    delete(server, app, "--user", SECRETS["App Center's user"])
    delete(server, app, "--install", SECRETS["client"])
    delete(server, app, "--user", UNKNOWN)
    left = search(server.data, secrets)
    assert not left, f"while the server runs: {left}"
    base = f"{server.address}/api/v1/apps/{app['id']}"
    segments = requests.get(f"{base}/segments", headers=server.authorization, timeout=60).json()
    assert {segment["name"] for segment in segments["segments"]} == {"Both", "Someone else"}
    boards = requests.get(f"{base}/dashboards", headers=server.authorization, timeout=60).json()
    assert [card["name"] for board in boards["dashboards"] if board["name"] == "Board" for card in board["cards"]] == ["plain"]
    assert search(server.data, {"other": OTHER}, inflates=False) or search(server.data, {"other": OTHER})
    server.stop()
    logs = [path.name for path in server.data.iterdir() if path.name.endswith(("-wal", "-shm"))]
    assert not logs, f"a clean stop leaves {logs}"
    assert not search(server.data, secrets)


def test_a_deletion_takes_everything_that_aliases_join(tmp_path):
    server = Serve(tmp_path)
    server.authorization = {"Authorization": f"Bearer {server.token()}"}
    try:
        app = create_app(server, "Joined")
        base = f"{server.address}/api/v1/apps/{app['id']}"
        person = {"user": "joined user@example.com", "install": "0ff1ce00-2222-4000-8000-00000000beef"}
        calls = [
            {"type": "track", "event": "Before", "anonymousId": person["install"]},
            {"type": "alias", "userId": person["user"], "previousId": person["install"]},
            {"type": "track", "event": "After", "userId": person["user"]},
            {"type": "track", "event": "Stays", "userId": "other", "anonymousId": person["install"].replace("beef", "cafe")},
        ]
        batch = [call | {"messageId": str(number)} for number, call in enumerate(calls)]
        answer = requests.post(
            f"{server.address}/v1/batch", json={"batch": batch, "writeKey": app["key"]}, timeout=60)
        assert answer.ok, answer.text
        is_stored(server, app, 3)

        def persons():
            question = {"by": "user", "date_range": "7d"}
            answer = requests.post(f"{base}/persons", json=question, headers=server.authorization, timeout=60).json()
            return {(row["user"], row["events"]) for row in answer["results"]}

        assert persons() == {(person["user"], 2), ("other", 1)}
        for name in person.values():
            events = requests.get(
                f"{base}/users/{quote(name, safe='')}/events", headers=server.authorization, timeout=60).json()
            assert {row["name"] for row in events["results"]} == {"Before", "After"}, events
        assert set(search(server.data, person)) == set(person)
        delete(server, app, "--user", person["user"])
        assert persons() == {("other", 1)}
        left = search(server.data, person)
        assert not left, f"while the server runs: {left}"
    finally:
        server.stop()

"""Makes the fixture of a day's formats: a small data directory with something of everything, a device's queue with events that
have yet to be sent, and what the reports and questions of that day's program say. `Scripts/make-fixture` runs it."""

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import requests

from test_rights import line, send
from tern import PLAYER, PROGRAM, Serve

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "Fixtures"
# What is said of the demo's app, and of the one that speaks all protocols.
REPORTS = ["overview", "events", "screens", "errors", "versions", "devices", "countries", "dropped"]
VIEW_REPORTS = ["overview", "screens", "landing", "events", "devices"]
QUESTIONS = {
    "query": {"metrics": ["events", "users", "sessions"], "dimensions": ["version"]},
    "funnel": {"steps": [{"any": True}, {"event": "Video clicked"}]},
    "retention": {},
}
CLIENTS = ["35009a79-1a05-49d7-b876-2b884d0f825b", "35009a79-1a05-49d7-b876-2b884d0f825c"]


def command(data, *arguments):
    """Runs a command on a data directory, and returns what it prints."""
    result = subprocess.run([PROGRAM, *arguments, "--data", str(data)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, (arguments, result.stdout, result.stderr)
    return result.stdout


def answers(data, facts, server):
    """Everything that a data directory says, by name."""
    period = ["--from", facts["from"], "--to", facts["to"]]
    said = {}
    app = str(facts["app"])
    for name in REPORTS:
        said[f"demo-{name}.csv"] = command(data, "report", name, "--app", "1", *period, "--format", "csv")
        said[f"{name}.csv"] = command(data, "report", name, "--app", app, *period, "--format", "csv")
    for name in VIEW_REPORTS:
        said[f"view-{name}.csv"] = command(
            data, "report", name, "--app", app, "--view", str(facts["view"]), *period, "--format", "csv")
    said["export.jsonl"] = command(data, "export", "--app", app)
    for kind, question in QUESTIONS.items():
        answer = requests.post(
            f"{server.address}/api/v1/apps/1/{kind}", json=question | {"date_range": [facts["from"], facts["to"]]},
            headers={"Authorization": f"Bearer {facts['token']}"}, timeout=60)
        assert answer.ok, answer.text
        said[f"{kind}.json"] = json.dumps(answer.json()["results"], indent=1, sort_keys=True) + "\n"
    # What depends on when one looks: whether a day is final, and the ledgers of devices, which are kept for 30 days.
    said["view-overview.csv"] = re.sub(r",(final|closed|open)\b", ",", said["view-overview.csv"])
    for name in ["demo-dropped.csv", "dropped.csv"]:
        said[name] = re.sub(r"(?m)^ledger,.*\n", "", said[name])
    return said


def make(day):
    fixture = FIXTURES / day
    if fixture.exists():
        sys.exit(f"{fixture} exists, and every later program must read it.")
    with tempfile.TemporaryDirectory(prefix="tern-fixture-") as place:
        data = pathlib.Path(place) / "data"
        subprocess.run(
            [PROGRAM, "demo", "--player", PLAYER, "--data", str(data), "--port", "0", "--installs", "6", "--days", "12",
             "--live-seconds", "1", "--processes", "1"], check=True, capture_output=True, timeout=300)
        shutil.rmtree(data / "demo-queues", ignore_errors=True)
        server = Serve(place)
        token = server.token()
        owner = {"Authorization": f"Bearer {token}"}
        base = f"{server.address}/api/v1/apps"
        app = requests.post(base, json={"name": "Protocols"}, headers=owner, timeout=60).json()
        number = str(app["id"])
        view = requests.post(
            f"{base}/{number}/views", json={"name": "Hits", "timeZone": "UTC"}, headers=owner, timeout=60).json()
        server.command("users", "invite", "ann", "--app", "1", "--url", "http://127.0.0.1:8787")
        send(server, app)
        for hit in range(10):
            answer = requests.post(f"{server.address}/collect", timeout=60, data={
                "v": "1", "tid": app["trackingId"], "cid": CLIENTS[hit % 2], "t": "screenview", "cd": f"Screen {hit % 3}",
                "an": "App", "av": "1.0"})
            assert answer.status_code == 200
        again = line("event", "Sent twice", "50a40000-0000-4000-8000-000000000001")
        server.send(app, [again])
        for path, body in [
            ("segments", {"name": "Germans", "filters": [["is", "country", ["DE"]]]}),
            ("dashboards", {"name": "Board", "cards": [
                {"name": "Germans", "page": "explore", "query": "metric=users&f1=country&o1=is&v1=DE"}]}),
        ]:
            answer = requests.post(f"{base}/{number}/{path}", json=body, headers=owner, timeout=60)
            assert answer.ok, answer.text
        server.command("persons", "delete", "--app", number, "--install", CLIENTS[0], "--yes")
        server.command("apps", "limits", number, "--events-per-second", "12345")
        server.stop()
        # A device that could not reach its server.
        queue = pathlib.Path(place) / "queue"
        for event in range(3):
            subprocess.run(
                [PROGRAM, "track", f"Waiting {event}", "-p", "number=7", "--key", app["key"], "--queue", str(queue),
                 "--url", "http://127.0.0.1:9", "--timeout", "1"], capture_output=True, timeout=60)
        today = datetime.datetime.now(datetime.timezone.utc).date()
        facts = {"from": str(today - datetime.timedelta(days=20)), "to": str(today), "app": app["id"], "view": view["id"],
                 "token": token, "key": app["key"],
                 "again": again}
        fixture.mkdir(parents=True)
        shutil.copytree(data, fixture / "data", ignore=shutil.ignore_patterns("*.lock", "login-link", "output.txt"))
        shutil.copytree(queue, fixture / "queue")
        server = Serve(place)
        said = answers(data, facts, server)
        server.stop()
    (fixture / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    for name, text in said.items():
        (fixture / "answers").mkdir(exist_ok=True)
        (fixture / "answers" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(sys.argv[1])

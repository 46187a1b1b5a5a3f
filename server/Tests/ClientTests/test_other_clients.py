"""Clients of other systems, unchanged, against a running server (Scripts/other-clients)."""

import collections
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

import pytest
import requests

from cutting_proxy import CuttingProxy
from other_clients import USER, properties
from tern import Serve, Server

PYTHON, OLDER = os.environ.get("TERN_OTHER_CLIENTS"), os.environ.get("TERN_OLDER_CLIENTS")
RUBY, GO = os.environ.get("TERN_RUBY_CLIENTS"), os.environ.get("TERN_GO_CLIENTS")
COUNT = int(os.environ.get("TERN_EVENTS", "200"))
SEED = int(os.environ.get("TERN_SEED", "1"))
# Slowly enough for Sentry's client, which drops what doesn't fit into its queue.
PAUSE = 0.1
SENDER = pathlib.Path(__file__).with_name("other_clients.py")

pytestmark = pytest.mark.skipif(not PYTHON, reason="Scripts/other-clients installs the clients, and runs this.")

# protocol: its name in Tern's metrics.
# losses: what the client itself loses in a failure, whatever the server answers; empty for one that keeps its events.
# once: False for a client that repeats its requests without anything by which two equal events can be told from one.
# user: True for a client that names the user.
Client = collections.namedtuple("Client", "protocol losses once user")
CLIENTS = {
    "segment": Client("segment", "", True, True),
    "rudderstack": Client("segment", "", True, True),
    "posthog": Client("posthog", "", True, True),
    "posthog-v1": Client("posthog", "", True, True),
    "posthog-3": Client("posthog", "gives up after 4 tries in about 4 s, and ignores Retry-After", True, True),
    "mixpanel": Client("mixpanel", "", True, True),
    "amplitude": Client("amplitude", "drops what it is sending when a connection is cut", True, True),
    "snowplow": Client("snowplow", "", True, False),
    "sentry": Client("sentry", "never sends an event again, and keeps 100 at most", True, True),
    "opentelemetry": Client("otlp", "drops a batch whose answer is cut off", True, True),
    "ga4": Client("ga4", "raises, and never sends an event again", True, False),
    "umami": Client("umami", "raises, and never sends an event again", True, True),
    "plausible": Client("plausible", "", False, False),
    "aptabase": Client("aptabase", "", True, False),
    "matomo": Client("matomo", "raises, and never sends an event again", True, True),
    "sentry-ruby": Client("sentry", "never sends an event again", True, True),
    "raven-ruby": Client("sentry", "never sends an event again, and pauses after a failure", True, True),
    "snowplow-ruby": Client("snowplow", "raises, and never sends an event again", True, True),
    "sentry-go": Client("sentry", "never sends an event again", True, True),
    "raven-go": Client("sentry", "raises, and never sends an event again", True, True),
    "bugsnag-go": Client("bugsnag", "never sends an event again, whatever the answer", True, True),
}


def key(name):
    """What the client's own system would have given out. Aptabase's and Bugsnag's clients accept no other forms."""
    return {"aptabase": "A-SH-aptabase", "bugsnag-go": "0123456789abcdef" * 2}.get(name, f"wk_{name}")


def program(name):
    """The command that sends with a client."""
    if name.endswith("-ruby"):
        return [RUBY]
    if name.endswith("-go"):
        return [GO]
    return [OLDER if name == "posthog-3" else PYTHON, str(SENDER)]


def error_type(name):
    """How a client names the type ValueError; nothing if it sends events."""
    if not name.startswith(("sentry", "raven", "bugsnag")):
        return ""
    return "main.ValueError" if name in ("sentry-go", "raven-go") else "ValueError"


class Home(Serve):
    """A server that starts again at its address."""

    def __init__(self, directory):
        super().__init__(directory)
        self.directory, self.port = directory, self.address.rpartition(":")[2]
        self.headers = {"Authorization": f"Bearer {self.token()}"}
        self.apps = {}
        for name in CLIENTS:
            made = json.loads(self.command("apps", "create", name, "--write-key", key(name), "--json"))
            self.apps[name] = str(made["id"])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def start(self):
        Server.__init__(self, self.directory, "serve", "--data", str(self.data), "--port", self.port)
        self.find(r"listens on (http://127\.0\.0\.1:\d+)", 60)

    def limit(self, bytes_per_day):
        """Sets how much each app may send in a day: nothing to speak of, or as usual. Until then, clients get 503."""
        for app in self.apps.values():
            requests.patch(
                f"{self.address}/api/v1/apps/{app}/limits", json={"bytesPerDay": bytes_per_day}, headers=self.headers,
                timeout=60).raise_for_status()

    def metric(self, expression):
        """The sum of some samples."""
        text = requests.get(f"{self.address}/metrics", headers=self.headers, timeout=60).text
        return sum(float(value) for value in re.findall(rf"^{expression} (\S+)$", text, re.MULTILINE))

    def await_all(self, seconds):
        """Returns when something of each protocol is stored."""
        deadline = time.monotonic() + seconds
        for protocol in {client.protocol for client in CLIENTS.values()}:
            while not self.metric(rf'tern_events_total{{protocol="{protocol}",outcome="accepted"}}'):
                assert time.monotonic() < deadline, f"nothing of {protocol} has arrived"
                time.sleep(0.1)

    def rows(self, name):
        lines = [json.loads(line) for line in self.command("export", "--app", self.apps[name]).splitlines()]
        assert lines[-1] == {"end": True}
        assert not [line for line in lines if "rejected" in line], lines
        return [line for line in lines if "row" in line and line["kind"] in ("event", "handled_error")]


class Sender:
    """An app's process, in another time zone."""

    def __init__(self, name, address):
        self.name = name
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*program(name), name, address, key(name), str(COUNT), str(PAUSE)], text=True,
            env=os.environ | {"TZ": "Asia/Tokyo"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)

    def end(self, seconds):
        """Returns the numbers of the events of which the app knows that they were not accepted."""
        output, _ = self.process.communicate(timeout=seconds)
        self.errors.seek(0)
        assert self.process.returncode == 0, f"{self.name}:\n{self.errors.read()[-4000:]}"
        return set(json.loads(output.splitlines()[-1]))


def number(name, row, began):
    """The number of a row's event, all of whose values are checked."""
    values = {item["name"]: next(value for key, value in item.items() if key != "name") for item in row["properties"]}
    found = int(float(values.get("n", values.get("value", values.get("se_va")))))
    expected = properties(found)
    label = values.get("label", values.get("se_la", values.get("name")))
    assert label == expected["label"], f"{name}: {row}"
    if "price" in values:
        assert float(values["price"]) == expected["price"], f"{name}: {row}"
        assert str(values["even"]) == str(expected["even"]), f"{name}: {row}"
    assert row["name"] == (error_type(name) or "Play"), f"{name}: {row}"
    assert began - 1 <= row["time"] / 1000 <= time.time() + 1, f"{name}: {row}"
    assert row.get("user", "") == (USER if CLIENTS[name].user else ""), f"{name}: {row}"
    return found


def check(home, raised, began, show, allowed):
    """Compares what is stored with what was sent, and shows a table of it.

    `allowed` has "twice" if events may be doubled by clients that give them no identity, "lost" for the clients' own losses, and
    "paused" for those of clients that send nothing for some time after a failure.
    """
    problems = []
    show(f"\n{'client':14} {'sent':>6} {'stored':>6} {'twice':>6} {'lost':>6} {'raised':>6}")
    for name, client in CLIENTS.items():
        counts = collections.Counter(number(name, row, began) for row in home.rows(name))
        twice = sum(counts.values()) - len(counts)
        lost = set(range(COUNT)) - set(counts)
        show(f"{name:14} {COUNT:6} {len(counts):6} {twice:6} {len(lost):6} {len(raised[name]):6}  "
             + (client.losses if lost else ""))
        assert set(counts) <= set(range(COUNT)), name
        if twice and (client.once or "twice" not in allowed):
            problems.append(f"{name}: {twice} events are stored twice")
        # What an app was told of is its own to send again.
        if client.losses.startswith("raises"):
            lost -= raised[name] if "lost" in allowed else set()
        elif client.losses and "lost" in allowed or "pauses" in client.losses and "paused" in allowed:
            lost = set()
        if lost:
            problems.append(f"{name}: {len(lost)} events are lost: {sorted(lost)[:20]}")
    assert not problems, "\n".join(problems)


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path)
    yield home
    home.stop()


def fail(home, chance):
    """Lets the server refuse everything for some seconds, and kills it later. Returns the number of refused requests."""
    home.limit(1)
    time.sleep(chance.uniform(2, 3))
    refused = home.metric(r'tern_over_limit_total{owner="app",[^}]*}')
    home.limit(None)
    time.sleep(chance.uniform(1, 4))
    home.kill()
    time.sleep(chance.uniform(0.5, 1.5))
    home.start()
    return refused


class Run:
    """All clients at once; their apps have ended at the end, and what is stored is checked."""

    def __init__(self, home, capsys, address=None, allowed=()):
        self.home, self.capsys, self.allowed = home, capsys, allowed
        self.address = address or home.address

    def show(self, text):
        with self.capsys.disabled():
            print(text)

    def __enter__(self):
        self.began = time.time()
        self.senders = [Sender(name, self.address) for name in CLIENTS]
        return self

    def __exit__(self, kind, *_):
        try:
            if kind:
                return
            # RudderStack's client waits for a minute and more between its tries, and Plausible's sends one event after the other.
            raised = {sender.name: sender.end(3 * COUNT * PAUSE + 600) for sender in self.senders}
        finally:
            for sender in self.senders:
                if sender.process.poll() is None:
                    sender.process.kill()
        check(self.home, raised, self.began, self.show, self.allowed)


def test_each_event_of_every_client_is_stored_once(home, capsys):
    with Run(home, capsys):
        pass


def test_a_server_that_is_busy_and_killed_costs_no_event_that_its_client_keeps(home, capsys):
    chance, rounds = random.Random(SEED), 1 + COUNT // 1_000
    with Run(home, capsys, allowed=("twice", "lost")) as run:
        home.await_all(120)
        for _ in range(rounds):
            time.sleep(chance.uniform(0, COUNT * PAUSE / rounds / 4))
            refused = fail(home, chance)
            assert refused > 0
            run.show(f"seed {SEED}: {refused:.0f} requests got 503, and the server was killed")
            time.sleep(COUNT * PAUSE / rounds / 2)


def test_answers_that_are_lost_double_no_event_and_lose_none(home, capsys):
    proxy = CuttingProxy(int(home.port), random.Random(SEED), 0.2)
    try:
        with Run(home, capsys, proxy.address, allowed=("twice", "paused")):
            pass
        assert proxy.cuts > 0
    finally:
        proxy.stop()

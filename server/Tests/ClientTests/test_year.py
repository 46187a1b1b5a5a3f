"""An operator's year with the program of a release: upgrade, first login, invitation, single sign-on, collecting, an alert, a
backup and its restoration, an export and its import elsewhere, deleting a person, and keeping rows for 90 days. Figures are
compared at each step."""

import collections
import datetime
import json
import random
import re
import shutil
import subprocess
import uuid

import requests

from make_fixture import FIXTURES
from provider import CLIENT, SECRET, Provider
from tern import PROGRAM, Serve
from test_alerts import Hook, wait_for

DAYS, INSTALLS = 365, 12
PORTAL = "https://tern.example.org"
REPORTS = ["overview", "events", "screens", "versions", "devices", "countries", "errors"]
QUESTIONS = {
    "query": {"metrics": ["events", "users", "sessions"], "dimensions": ["version"]},
    "funnel": {"steps": [{"event": "Opened"}, {"event": "Bought"}]},
    "retention": {},
}


class Year:
    """The events of a year as a client sends them, and the facts to count them by."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.today = datetime.datetime.now(datetime.UTC).date()
        self.first = self.today - datetime.timedelta(days=DAYS)
        self.installs = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(INSTALLS)]
        # A line for each event, and its day, install and name.
        self.lines, self.facts = [], []
        for back in range(DAYS, 0, -1):
            day = self.today - datetime.timedelta(days=back)
            noon = int(datetime.datetime.combine(day, datetime.time(12), datetime.UTC).timestamp() * 1000)
            for install in chance.sample(self.installs, chance.randint(1, INSTALLS)):
                session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
                for step in range(chance.randint(1, 6)):
                    name = "Opened" if step == 0 else chance.choice(["Played", "Bought"])
                    self.facts.append((day, install, name))
                    self.lines.append(json.dumps({
                        "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)), "type": "event", "name": name,
                        "install": install, "user": f"user-{self.installs.index(install)}@example.org", "session": session,
                        "time": noon + step * 1000 + chance.randint(0, 999), "properties": {"step": str(step)},
                        "device": {"osName": "iOS", "osVersion": f"18.{back % 3}", "model": "iPhone16,1", "locale": "de_DE"},
                        "app": {"version": f"1.{(DAYS - back) // 60}", "build": "1"}}))

    def without(self, install):
        """Returns the facts of the other installs; there are no lines to send."""
        year = Year.__new__(Year)
        year.today, year.first = self.today, self.first
        year.facts = [fact for fact in self.facts if fact[1] != install]
        return year

    def check(self, server, app, since=None):
        """Compares the events and users of each day with a plain count of the facts."""
        since = since or self.first
        events, users = collections.Counter(), collections.defaultdict(set)
        for day, install, _ in self.facts:
            if day >= since:
                events[str(day)] += 1
                users[str(day)].add(install)
        answer = requests.post(
            f"{server.address}/api/v1/apps/{app}/query", headers=server.headers, timeout=60,
            json={"metrics": ["events", "users"], "dimensions": ["time:day"],
                  "date_range": [str(since), str(self.today)]})
        assert answer.ok, answer.text
        counted = {row["dimensions"][0]: row["metrics"] for row in answer.json()["results"] if any(row["metrics"])}
        expected = {day: [count, len(users[day])] for day, count in events.items()}
        assert counted == expected, {day: (counted.get(day), expected.get(day)) for day in counted | expected
                                     if counted.get(day) != expected.get(day)}


def report(server, app, year, name):
    return server.command(
        "report", name, "--app", str(app), "--from", str(year.first), "--to", str(year.today), "--format", "csv")


def figures(server, app, year, questions=True):
    """Returns the answers of all reports, and of the questions unless they are left out, about the year."""
    answers = {name: report(server, app, year, name) for name in REPORTS}
    for kind, question in QUESTIONS.items() if questions else ():
        answer = requests.post(
            f"{server.address}/api/v1/apps/{app}/{kind}", headers=server.headers, timeout=60,
            json=question | {"date_range": [str(year.first), str(year.today)]})
        assert answer.ok, answer.text
        answers[kind] = json.dumps(answer.json()["results"], sort_keys=True)
    return answers


def start(place, *options):
    server = Serve(place, *options)
    server.headers = {"Authorization": f"Bearer {server.token()}"}
    return server


def browser(link):
    """Returns a session of a browser that has followed a link."""
    session = requests.Session()
    answer = session.get(link, timeout=60)
    assert answer.ok, answer.text
    return session


def test_a_year(tmp_path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    year = Year(seed)
    home = tmp_path / "home"
    with Hook() as hook, Provider(
            tmp_path, sub="7", email="dora@example.org", email_verified=True, groups=["analysts"]) as provider:
        providers = tmp_path / "providers.json"
        providers.write_text(json.dumps({"providers": [{
            "id": "company", "name": "Company login", "issuer": provider.issuer, "client-id": CLIENT, "client-secret": SECRET,
            "create-users": True, "rules": [{"value": "analysts", "role": "viewer"}]}]}), encoding="utf-8")
        options = ("--allow-webhooks-to", "127.0.0.1", "--portal-url", PORTAL, "--sign-in", str(providers))
        # The upgrade: the directory is in the formats that 0.1.0 had on that day.
        shutil.copytree(FIXTURES / "2026-11-25" / "data", home / "data")
        server = start(home, *options)
        try:
            owner = browser(server.login_link())
            assert "Protocols" in owner.get(server.address, timeout=60).text
            app = requests.post(
                f"{server.address}/api/v1/apps", json={"name": "Year", "timeZone": "UTC"}, headers=server.headers,
                timeout=60).json()
            number = str(app["id"])
            invite(server, owner, number)
            sign_in(server, provider)
            collect(server, app, year)
            watch(server, hook, number)
            before = figures(server, number, year)
            # Copies: a backup of everything, and an export of this app.
            server.command("backup", str(tmp_path / "backup"))
            (tmp_path / "app.ndjson").write_text(server.command("export", "--app", number), encoding="utf-8")
            restored(tmp_path, year, before)
            imported(tmp_path, year, before)
            alerted(hook)
            forgotten(server, number, year)
            kept(server, number, year)
        finally:
            server.stop()
        assert "metrics match" in server.command("verify")


def invite(server, owner, app):
    """A viewer who is invited in the portal chooses a password, logs in with it, and sees only the one app."""
    page = owner.post(
        f"{server.address}/users", timeout=60, headers={"Origin": server.address},
        data={"do": "invite", "name": "vera@example.org", "role": "viewer", f"app-{app}": "1"})
    code = re.search(r"/welcome\?code=([\w-]+)", page.text).group(1)
    password = "a long password for tests"
    guest = requests.Session()
    welcome = guest.post(
        f"{server.address}/welcome", data={"code": code, "password": password}, headers={"Origin": server.address},
        timeout=60)
    assert welcome.ok and "Year" in welcome.text and "Protocols" not in welcome.text, welcome.text
    guest = requests.Session()
    for given, status in [("another password", 401), (password, 200)]:
        answer = guest.post(
            f"{server.address}/login", data={"name": "vera@example.org", "password": given},
            headers={"Origin": server.address}, timeout=60)
        assert answer.status_code == status, answer.text
    assert guest.get(f"{server.address}/users", timeout=60).status_code == 403


def sign_in(server, provider):
    """Someone without a user signs in at the provider, and gets one with the rights that the provider gives."""
    dora = requests.Session()
    assert "Sign in with Company login" in dora.get(f"{server.address}/login", timeout=60).text
    answer = dora.get(f"{server.address}/sign-in/company", timeout=60, allow_redirects=False)
    assert answer.status_code in (302, 303) and answer.headers["Location"].startswith(provider.issuer), answer.text
    answer = requests.get(answer.headers["Location"], timeout=60, allow_redirects=False)
    back = answer.headers["Location"].replace(PORTAL, server.address)
    stranger = requests.get(back, timeout=60)
    assert stranger.status_code == 401 and "another browser" in stranger.text, stranger.text
    home = dora.get(back, timeout=60)
    assert home.ok and "Year" in home.text, home.text
    assert dora.get(f"{server.address}/users", timeout=60).status_code == 403
    dora.cookies.clear()
    again = dora.get(back, timeout=60)
    assert not again.ok and "Year" not in again.text, again.text
    assert "dora@example.org" in server.command("users", "list")


def collect(server, app, year):
    for begin in range(0, len(year.lines), 1000):
        server.send(app, year.lines[begin:begin + 1000])
    # Events that are sent again, as after a lost answer, count once.
    answer = requests.post(
        f"{server.address}/v1/events", data="\n".join(year.lines[:1000]).encode(), headers={"Tern-Key": app["key"]},
        timeout=60)
    assert answer.json()["accepted"] == 0 and len(answer.json()["duplicates"]) == 1000, answer.text
    year.check(server, app["id"])
    # Reports count a little later than questions.
    wait_for(lambda: sum(int(line.split(",")[1]) for line in report(server, app["id"], year, "events").splitlines()[1:])
             == len(year.lines), 60)


def watch(server, hook, app):
    server.command(
        "alerts", "add", "--app", app, "--name", "Busy", "--question", "metric=events", "--above", "0", "--per", "day",
        "--to", f"webhook:{hook.address}")


def alerted(hook):
    """Yesterday was above the limit, which is reported once."""
    wait_for(lambda: hook.requests, 180)
    message = json.loads(hook.requests[0][2])
    assert message["event"] == "alert.breached" and "Busy" in message["title"], message
    assert len(hook.requests) == 1


def restored(place, year, before):
    """The backup has the same figures when it is restored to another directory."""
    subprocess.run(
        [PROGRAM, "restore", str(place / "backup"), "--data", str(place / "restored" / "data")], check=True,
        capture_output=True, timeout=120)
    server = start(place / "restored")
    try:
        app = next(app["id"] for app in requests.get(
            f"{server.address}/api/v1/apps", headers=server.headers, timeout=60).json()["apps"] if app["name"] == "Year")
        assert figures(server, app, year) == before
        assert browser(server.login_link()).get(f"{server.address}/users", timeout=60).text.count("vera@example.org") >= 1
    finally:
        server.stop()


def imported(place, year, before):
    """The app has the same figures on another server after it is imported there, and after that is repeated."""
    (place / "other").mkdir()
    server = start(place / "other")
    try:
        app = requests.post(
            f"{server.address}/api/v1/apps", json={"name": "Moved", "timeZone": "UTC"}, headers=server.headers,
            timeout=60).json()["id"]
        for result in ["Imported", "stored already"]:
            assert result in server.command("import", "--app", str(app), str(place / "app.ndjson"))
            assert figures(server, app, year) == before
    finally:
        server.stop()


def forgotten(server, app, year):
    """A person who is deleted is in no figure, and in no export."""
    install = year.installs[0]
    unconfirmed = subprocess.run(
        [PROGRAM, "persons", "delete", "--app", app, "--install", install, "--data", str(server.data)],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    count = sum(fact[1] == install for fact in year.facts)
    assert unconfirmed.returncode == 2, unconfirmed.stderr
    assert f"{count} events" in unconfirmed.stderr and "--yes" in unconfirmed.stderr, unconfirmed.stderr
    year.check(server, app)
    server.command("persons", "delete", "--app", app, "--install", install, "--yes")
    year.without(install).check(server, app)
    assert install not in server.command("export", "--app", app)
    year.facts = year.without(install).facts


def kept(server, app, year):
    """Rows older than 90 days are removed; reports of whole days stay, and questions answer from the rest."""
    before = figures(server, app, year, questions=False)
    storage = requests.get(f"{server.address}/api/v1/storage", headers=server.headers, timeout=60).json()
    freeable = next(use for use in storage["apps"] if str(use["app"]) == app)["freeableRows"]
    first = year.today - datetime.timedelta(days=90)
    old = sum(day < first for day, _, _ in year.facts)
    assert freeable == old
    output = server.command("apps", "set", app, "--keep", "90d", "--yes")
    assert f"before {first}" in output, output
    assert figures(server, app, year, questions=False) == before
    year.check(server, app, since=first)
    rows = [json.loads(line) for line in server.command("export", "--app", app).splitlines()]
    assert sum("row" in row for row in rows) == len(year.facts) - old

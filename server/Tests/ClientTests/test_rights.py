"""What a running server shows to those who may not see personal data, on every page and path that its owner can reach."""

import base64
import json
import re
import tempfile
import time
import uuid
from html import unescape
from urllib.parse import quote, urljoin, urlsplit

import pytest
import requests

from tern import Serve
from test_extremes import create_app, is_stored, line

INSTALL = "5ec4e700-1111-4000-8000-00000000beef"
USER = "secret-user@example.com"
# What identifies a person or shows one of their events. Names and values of events are in reports, and so no secrets.
SECRETS = {
    "install": INSTALL, "user": USER, "client": "5ec4e700-2222-4000-8000-00000000beef", "hit's user": "secret-uid-77",
    "App Center's user": "secret-user-of-app-center", "App Center's install": "5ec4e700-3333-4000-8000-00000000beef",
    "stack": "secretFunctionDeepInTheStack", "attachment": "text of a secret attachment",
}


def found(body):
    """The names of the secrets in an answer."""
    text = unescape(body).lower()
    return {name for name, secret in SECRETS.items()
            if secret.lower() in text or secret.replace("-", "").lower() in text or quote(secret).lower() in text}


def send(server, app):
    """Sends events of three protocols that have all secrets."""
    server.send(app, [
        line("screen", "Home", INSTALL, user=USER), line("event", "Play", INSTALL, user=USER, properties={"p": "x"}),
        line("handled_error", "", INSTALL, user=USER, more={"exception": {
            "type": "Broken", "message": "it broke",
            "stackTrace": f"at top (Main.swift:1)\nat {SECRETS['stack']} (Main.swift:2)"}}),
    ])
    answer = requests.post(f"{server.address}/collect", timeout=60, data={
        "v": "1", "tid": app["trackingId"], "cid": SECRETS["client"], "uid": SECRETS["hit's user"], "t": "screenview",
        "cd": "Home", "an": "App"})
    assert answer.status_code == 200
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    device = {"sdkName": "appcenter.ios", "sdkVersion": "5.0.4", "osName": "iOS", "osVersion": "17.0", "locale": "en_US",
              "timeZoneOffset": 0, "appVersion": "1.0", "appBuild": "1", "model": "iPhone16,1"}
    common = {"timestamp": now, "device": device, "userId": SECRETS["App Center's user"], "sid": str(uuid.uuid4())}
    error = str(uuid.uuid4())
    answer = requests.post(
        f"{server.address}/logs?api-version=1.0.0", timeout=60,
        headers={"App-Secret": app["appSecret"], "Install-ID": SECRETS["App Center's install"]},
        json={"logs": [
            common | {"type": "event", "id": str(uuid.uuid4()), "name": "Play"},
            common | {"type": "handledError", "id": error, "exception": {"type": "Torn", "message": "it tore", "frames": []}},
            common | {"type": "errorAttachment", "id": str(uuid.uuid4()), "errorId": error, "contentType": "text/plain",
                      "fileName": "log.txt", "data": base64.b64encode(SECRETS["attachment"].encode()).decode()},
        ]})
    assert answer.status_code == 200, answer.text


class Visitor:
    """Someone who is logged in, or a program with a token."""

    def __init__(self, server, headers=None):
        self.server, self.session = server, requests.Session()
        self.session.headers.update(headers or {})

    @classmethod
    def invited(cls, server, name, *options):
        visitor = cls(server)
        link = server.command("users", "invite", name, *options, "--url", server.address).split()[-1]
        page = visitor.session.get(link, timeout=60)
        form = dict(re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', page.text))
        form |= {name: "a long password for tests" for name in re.findall(r'type="password"[^>]*name="([^"]+)"', page.text)}
        form |= {name: "a long password for tests" for name in re.findall(r'name="([^"]+)"[^>]*type="password"', page.text)}
        answer = visitor.session.post(
            link, data={key: unescape(value) for key, value in form.items()}, headers={"Origin": server.address},
            timeout=60)
        assert answer.ok and visitor.session.cookies, answer.text
        return visitor

    def get(self, address):
        """The beginning of an answer: that of live events does not end."""
        with self.session.get(address, timeout=60, stream=True) as answer:
            if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                return answer.status_code, next(answer.iter_content(65_536), b"").decode()
            return answer.status_code, answer.text

    def post(self, path, question):
        return self.session.post(f"{self.server.address}{path}", json=question, timeout=60).text


def links(visitor, start):
    """Every kind of page that can be reached by links, and what it offers to save."""
    waiting, seen, kinds = [start], {start}, {}
    host = urlsplit(start).netloc
    while waiting:
        address = waiting.pop(0)
        status, text = visitor.get(address)
        assert status < 500, address
        for link in re.findall(r'(?:href|data-source|src)="([^"]+)"', text):
            link = urljoin(address, unescape(link)).split("#")[0]
            parts = urlsplit(link)
            if parts.netloc != host or link in seen:
                continue
            # No right depends on the days or on how a chart is drawn, and links to others of both multiply.
            names = {pair.split("=")[0] for pair in parts.query.split("&")} - {"days", "from", "to", "show"}
            kind = (re.sub(r"\d+", "N", parts.path), tuple(sorted(names)))
            if kinds.get(kind, 0) >= 3:
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
            seen.add(link)
            waiting.append(link)
    return seen


def paths_of_the_api(server, app, values):
    """Every GET of the API's description, with parameters that lead to what was sent."""
    description = requests.get(f"{server.address}/api/openapi.json", timeout=60).json()
    for path, methods in description["paths"].items():
        if "get" not in methods:
            continue
        for name, several in values.items():
            if f"{{{name}}}" in path:
                for value in several:
                    yield server.address + path.replace("{app}", str(app["id"])).replace(f"{{{name}}}", quote(value, safe=""))
                break
        else:
            yield server.address + path.replace("{app}", str(app["id"]))


QUESTIONS = [
    ("query", {"metrics": ["events"], "dimensions": ["user"], "date_range": "7d"}),
    ("query", {"metrics": ["events"], "dimensions": ["install"], "date_range": "7d"}),
    ("query", {"metrics": ["users"], "dimensions": ["event"], "filters": [["is", "user", [USER]]], "date_range": "7d"}),
    ("funnel", {"steps": [{"screen": "Home"}, {"event": "Play"}], "breakdown": "user", "date_range": "7d"}),
    ("retention", {"breakdown": "install", "date_range": "7d"}),
    ("persons", {"date_range": "7d"}),
]


@pytest.fixture(scope="module")
def site():
    with tempfile.TemporaryDirectory(prefix="tern-rights-") as directory:
        server = Serve(directory)
        try:
            server.authorization = {"Authorization": f"Bearer {server.token()}"}
            app = create_app(server, "Planted")
            for name, filters in [("Ann", [["is", "user", [USER]]]), ("Players", [["has_done", {"event": "Play"}]])]:
                answer = requests.post(f"{server.address}/api/v1/apps/{app['id']}/segments", timeout=60,
                                       json={"name": name, "filters": filters}, headers=server.authorization)
                assert answer.ok, answer.text
            send(server, app)
            is_stored(server, app, 6)
            yield server, app
        finally:
            server.stop()


def test_nobody_without_the_right_to_personal_data_reads_a_name_or_an_event_of_a_person(site):
    server, app = site
    # The manage token reads paths of the API, the browser of the owner the pages.
    owner, program = Visitor(server), Visitor(server, server.authorization)
    owner.session.get(server.login_link(), timeout=60)
    if not owner.session.cookies:
        raise AssertionError("the login link did not log in")
    read = server.command("tokens", "create", "reader", "--scope", "read").strip()
    others = {
        "viewer": Visitor.invited(server, "vera", "--role", "viewer", "--app", str(app["id"])),
        "read token": Visitor(server, {"Authorization": f"Bearer {read}"}),
        "nobody": Visitor(server),
    }
    for visitor in (others["viewer"], others["read token"]):
        for path in ("/apps/1/events", "/api/v1/apps/1/reports/events"):
            admitted = (visitor is others["viewer"]) or path.startswith("/api")
            assert ("Play" in visitor.get(server.address + path)[1]) == admitted, path
    pages = links(owner, f"{server.address}/")
    reports = [match.group(1) for page in pages if (match := re.search(r"/apps/\d+/([a-z-]+)(?:\?|$)", page))]
    start = time.strftime("%Y-%m-%dT00:00:00.000Z", time.gmtime())
    api = set(paths_of_the_api(server, app, {
        "install": [INSTALL, SECRETS["client"], SECRETS["App Center's install"]],
        "user": [USER, SECRETS["hit's user"], SECRETS["App Center's user"]],
        "name": sorted(set(reports) | {"hits", "live", "error", "errors"}), "view": ["1"], "group": ["1"],
    }))
    api |= {address + extra for address in api if "/reports/error" in address for extra in ("?group=1", "?occurrence=3")}
    api |= {f"{server.address}/v0.1/apps/me/{app['id']}/analytics/{flow}?start={start}"
            for flow in ("log_flow", "generic_log_flow")}
    showing, shown = {}, set()
    print(len(pages), "pages,", len(api), "paths of the API")
    for reader, addresses in ((owner, pages), (program, api)):
        for address in sorted(addresses):
            if secrets := found(reader.get(address)[1]):
                showing[address] = secrets
                shown |= secrets
    assert shown == set(SECRETS), f"the test does not reach {set(SECRETS) - shown}"
    assert len({re.sub(r"\d+|%.*|\?.*", "", urlsplit(address).path) for address in showing}) >= 8, sorted(showing)
    for name, visitor in others.items():
        for address in sorted(pages | api):
            status, text = visitor.get(address)
            # A page or an error may repeat what its own address says, but nothing more.
            assert status < 500 and not found(text) - found(address), f"{name} reads {found(text)} at {address}"
            if address in showing and found(address):
                assert status in (401, 403, 404) or "/login" in text, f"{name} gets {status} at {address}"


def test_no_link_leads_a_viewer_to_a_page_that_is_refused(site):
    server, app = site
    viewer = Visitor.invited(server, "wanda", "--role", "viewer", "--app", str(app["id"]))
    pages = links(viewer, f"{server.address}/")
    refused = sorted(page for page in pages if viewer.get(page)[0] in (401, 403))
    assert any(re.search(r"/apps/\d+/error\?group=", page) for page in pages), "the page of an error is reached"
    print(len(pages), "pages")
    assert not refused, refused


def test_questions_that_tell_persons_apart_need_the_right_to_personal_data(site):
    server, app = site
    read = server.command("tokens", "create", "asker", "--scope", "read").strip()
    program, reader = Visitor(server, server.authorization), Visitor(server, {"Authorization": f"Bearer {read}"})
    shown = set()
    for kind, question in QUESTIONS:
        path = f"/api/v1/apps/{app['id']}/{kind}"
        answer = program.post(path, question)
        assert '"error"' not in answer, f"{question}: {answer}"
        shown |= found(answer)
        refused = reader.post(path, question)
        assert json.loads(refused)["error"]["code"] == "not_allowed", f"{question}: {refused}"
        assert not found(refused)
    assert {"install", "user"} <= shown

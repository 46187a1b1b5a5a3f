"""A server that is set up by its API alone, from the first app to a backup, and cleared again."""

import tempfile
import time

import pytest
import requests

from tern import Serve
from test_extremes import line

INSTALL = "7d444840-9dc0-11d1-b245-5ffdce74fad2"


class API:
    """A program with a token, which checks the status of each answer."""

    def __init__(self, server, token):
        self.server, self.headers = server, {"Authorization": f"Bearer {token}"}

    def send(self, method, path, status, json=None, headers=None):
        answer = requests.request(
            method, f"{self.server.address}/api/v1{path}", json=json, headers=self.headers | (headers or {}), timeout=60)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def get(self, path):
        return self.send("GET", path, 200).json()

    def wait(self, path, is_done):
        """Repeats a request until `is_done` accepts the answer, and returns that."""
        deadline = time.monotonic() + 60
        while not is_done(answer := self.get(path)):
            assert time.monotonic() < deadline, answer
            time.sleep(0.1)
        return answer


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory(prefix="tern-administration-") as directory:
        server = Serve(directory, "--backup-to", f"{directory}/backups", "--backup-every", "10d")
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def api(server):
    return API(server, server.command("tokens", "create", "setup", "--scope", "administer").strip())


def test_a_server_is_set_up_and_cleared_by_its_api(server, api):
    app = api.send("POST", "/apps", 201, {"name": "Player", "timeZone": "Europe/Berlin"}).json()
    own = f"/apps/{app['id']}"
    server.send(app, [line("event", f"Event {number}", INSTALL) for number in range(20)])
    api.send("PATCH", own, 200, {"keep": "13mo"})
    assert api.get(own)["keep"] == "13mo"
    view = api.send("POST", f"{own}/views", 201, {"name": "Web", "timeZone": "Europe/Lisbon"}).json()
    api.send("PUT", f"{own}/dimensions/3", 200, {"name": "Plan", "scope": "session"})

    # Someone is invited, chooses a password, and is logged out.
    invitation = api.send("POST", "/users", 201, {"name": "ann", "role": "editor", "apps": [app["id"]]}).json()
    user = f"/users/{invitation['user']['id']}"
    browser = requests.Session()
    browser.get(invitation["link"], timeout=60).raise_for_status()
    code = invitation["link"].split("code=")[1]
    browser.post(
        f"{server.address}/welcome", data={"code": code, "password": "a long password for tests"},
        headers={"Origin": server.address}, timeout=60).raise_for_status()
    assert "Player" in browser.get(f"{server.address}/", timeout=60).text
    sessions = api.get(f"{user}/sessions")["sessions"]
    assert [session["name"] for session in sessions] == ["ann"]
    api.send("DELETE", f"/sessions/{sessions[0]['id']}", 204)
    assert "Player" not in browser.get(f"{server.address}/", timeout=60).text

    # Two people change her rights at once: the second has to read them again.
    tag = api.send("GET", user, 200).headers["ETag"]
    api.send("PATCH", user, 200, {"role": "viewer"}, {"If-Match": tag})
    refused = api.send("PATCH", user, 412, {"personalData": True}, {"If-Match": tag})
    api.send("PATCH", user, 200, {"personalData": True}, {"If-Match": refused.headers["ETag"]})

    token = api.send("POST", "/tokens", 201, {"name": "reports", "scopes": ["read"], "app": app["id"], "days": 30}).json()
    reader = API(server, token["secret"])
    reader.send("GET", f"{own}/reports/overview", 200)
    for path in ["/users", "/tokens", "/sessions", "/audit", "/jobs", "/backups"]:
        reader.send("GET", path, 403)
    link = api.send("POST", f"{own}/links", 201, {"page": "events", "query": "days=7", "days": 1}).json()
    assert requests.get(link["address"], timeout=60).status_code == 200

    # A backup beside the first one, which the server makes at its start.
    api.wait("/backups", lambda answer: answer["backups"])
    before = len(api.get("/backups")["backups"])
    api.send("POST", "/backups", 202)
    after = api.wait("/backups", lambda answer: not answer["requested"])
    assert after["failure"] is None and len(after["backups"]) == before + 1

    # Everything is removed again.
    api.send("DELETE", f"{own}/links/{link['link']['id']}", 204)
    assert requests.get(link["address"], timeout=60).status_code == 404
    api.send("DELETE", f"/tokens/{token['token']['id']}", 204)
    reader.send("GET", "/apps", 401)
    api.send("DELETE", user, 204)
    api.send("DELETE", f"{own}/views/{view['id']}", 204)
    api.send("DELETE", own, 400)
    job = api.send("DELETE", f"{own}?confirm=Player", 202).json()
    done = api.wait(f"/jobs/{job['id']}", lambda answer: answer["state"] not in ("pending", "blocked"))
    assert done["state"] == "done" and "Player" in done["text"]
    api.send("GET", own, 404)
    assert api.get("/apps")["apps"] == []
    assert [user["name"] for user in api.get("/users")["users"]] == ["owner"]
    assert [token["name"] for token in api.get("/tokens")["tokens"]] == ["setup"]

    # The audit log has all of it, in pages, and never a secret.
    actions, page = [], api.get("/audit?limit=5")
    while True:
        actions += [entry["action"] for entry in page["entries"]]
        if page["next"] is None:
            break
        page = api.get(f"/audit?limit=5&before={page['next']}")
    for action in ["app created", "app changed", "app deleted", "view created", "view deleted", "definition changed",
                   "user invited", "user changed", "user removed", "session ended", "token created", "token revoked",
                   "page shared", "shared link revoked", "backup created"]:
        assert action in actions, action
    text = api.send("GET", "/audit?limit=1000", 200).text
    for secret in [code, token["secret"], link["address"].split("/")[-1]]:
        assert secret not in text

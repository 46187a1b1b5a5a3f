"""Apps without events, with one event, and with names that break careless pages."""

import json
import time
import uuid

import pytest
import requests

HOSTILE = [
    "🦊👩‍👩‍👧‍👦🇩🇪",
    "שלום עולם، مرحبا بالعالم",
    "W" * 768,
    "<script>document.title='taken'</script>",
    "\"'><img src=x onerror=\"document.title='taken'\">",
    "</title></textarea></script><svg onload=alert(1)>",
    "{{appName}} {{{content}}} ${7*7} %s %00",
    "javascript:document.title='taken'",
    "a\u202egnp.exe\u200b\u2066",
    "../../../etc/passwd?a=1&b=2#c",
    "=HYPERLINK(\"http://example.com\")",
    "N\u0336o\u0336t\u0336 Z̸̡a̷l̴g̶o̵",
    "one\ntwo\ttab",
]


def create_app(server, name):
    answer = requests.post(f"{server.address}/api/v1/apps", json={"name": name}, headers=server.authorization, timeout=60)
    assert answer.status_code == 201, answer.text
    return answer.json()


def line(kind, name, install, more=None, device=None, user=None, properties=None):
    event = {
        "id": str(uuid.uuid4()), "type": kind, "name": name, "install": install, "time": int(time.time() * 1000),
        "session": str(uuid.uuid5(uuid.NAMESPACE_DNS, install)), "properties": properties or {},
        "device": device or {"osName": "iOS", "osVersion": "18.0", "model": "iPhone16,1", "locale": "en_US"},
        "app": {"version": "1.0", "build": "1"},
    }
    if user:
        event["user"] = user
    return json.dumps(event | (more or {}))


@pytest.fixture(scope="module", autouse=True)
def login(browser, server):
    browser.open(server.login_link())


def is_stored(server, app, rows):
    """Waits until all rows are in answers."""
    body = {"metrics": ["events", "screens", "errors", "crashes"], "date_range": "7d"}
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        answer = requests.post(
            f"{server.address}/api/v1/apps/{app['id']}/query", json=body, headers=server.authorization, timeout=60).json()
        if sum(sum(row["metrics"]) for row in answer["results"]) >= rows:
            return
        time.sleep(0.1)
    raise AssertionError(f"not stored: {answer}")


def test_pages_of_an_app_without_events_are_sound(browser, server):
    app = create_app(server, "Empty")
    addresses, problems = browser.crawl(f"{server.address}/apps/{app['id']}", inside=f"/apps/{app['id']}")
    assert len(addresses) > 8, addresses
    assert not problems, "\n".join(problems)


def test_pages_of_an_app_with_one_event_are_sound(browser, server):
    app = create_app(server, "One")
    server.send(app, [line("event", "Only", str(uuid.uuid4()))])
    is_stored(server, app, 1)
    addresses, problems = browser.crawl(
        f"{server.address}/apps/{app['id']}", inside=f"/apps/{app['id']}", schemes=("dark",))
    assert len(addresses) > 20, addresses
    assert not problems, "\n".join(problems)


def test_pages_survive_names_in_every_script_and_hostile_texts(browser, server):
    app = create_app(server, HOSTILE[3][:60] + " שלום 🦊")
    lines = []
    for text in HOSTILE:
        install = str(uuid.uuid5(uuid.NAMESPACE_DNS, text))
        device = {
            "osName": text, "osVersion": text, "model": text, "manufacturer": text, "locale": text, "country": "DE",
            "sdkName": text, "sdkVersion": text,
        }
        exception = {"exception": {
            "type": text, "message": text, "frames": [{"className": text, "methodName": text, "fileName": text}]}}
        for kind, more in [("session_start", None), ("screen", None), ("event", None), ("handled_error", exception),
                           ("crash", exception)]:
            event = json.loads(line(kind, text, install, more, device, text, {text: text, "n": 1}))
            event["app"] = {"version": text, "build": text}
            lines.append(json.dumps(event))
    server.send(app, lines)
    is_stored(server, app, 4 * len(HOSTILE))
    addresses, problems = browser.crawl(
        f"{server.address}/apps/{app['id']}", instances=4, inside=f"/apps/{app['id']}", schemes=("light",))
    assert len(addresses) > 25, addresses
    assert not problems, "\n".join(problems)
    assert browser.driver.title != "taken"


def test_pages_of_the_whole_server_are_sound(browser, server):
    for path in ["/", "/account", "/users", "/tokens", "/audit", "/apps/999", "/nothing"]:
        browser.open(server.address + path)
        # A page that reports an error has its status, which the console notes.
        problems = [
            problem for problem in browser.check() if "Failed to load resource" not in problem or "999" not in path]
        if path != "/nothing":
            assert not problems, "\n".join(problems)

"""Logins with a second factor, as a browser and an authenticator app do them."""

import base64
import hashlib
import hmac
import re
import struct
import tempfile
import time

import pytest
import requests

from tern import Serve

PASSWORD = "a long password for tests"


def app_code(key, later=0):
    """The code that an authenticator app shows (RFC 6238), `later` steps from now."""
    counter = struct.pack(">q", int(time.time()) // 30 + later)
    code = hmac.new(base64.b32decode(key), counter, hashlib.sha1).digest()
    start = code[-1] & 15
    return f"{(struct.unpack('>I', code[start:start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Browser:
    """A browser, which follows redirects and sends its origin with forms."""

    def __init__(self, server):
        self.server, self.session = server, requests.Session()

    def open(self, address):
        return self.session.get(address if "://" in address else self.server.address + address, timeout=60)

    def send(self, path, **form):
        return self.session.post(
            self.server.address + path, data=form, headers={"Origin": self.server.address}, timeout=60)


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory(prefix="tern-second-factor-") as directory:
        server = Serve(directory)
        try:
            yield server
        finally:
            server.stop()


def test_a_second_factor_from_set_up_to_reset(server):
    owner = Browser(server)
    assert owner.open(server.login_link()).ok
    assert "Second factor" not in owner.open("/account").text, "there is no password yet"
    assert "has been changed" in owner.send("/account", do="password", password=PASSWORD).text

    page = owner.send("/account", do="new-factor").text
    key = re.search(r'name="key" value="([A-Z2-7]{32})"', page).group(1)
    assert f"otpauth://totp/Tern:owner?secret={key}&amp;issuer=Tern" in page
    form = {"do": "add-factor", "key": key, "current": PASSWORD}
    assert owner.send("/account", **form, code="000").status_code == 400
    page = owner.send("/account", **form, code=app_code(key)).text
    codes = re.findall(r"(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}", page)
    assert len(set(codes)) == 10
    assert re.search(r"owner\s+owner\s.*\s1\s+yes", server.command("users", "list"))

    # The password alone opens nothing.
    other = Browser(server)
    assert other.send("/login", name="owner", password=PASSWORD, next="/users").url.endswith("/login/code?next=%2Fusers")
    assert other.open("/").url.endswith("/login")
    assert other.send("/login/code", code="000", next="/users").status_code == 401
    answer = other.send("/login/code", code=app_code(key, later=1), next="/users")
    assert answer.ok and answer.url == server.address + "/users"

    # Neither does a login link; a recovery code does once.
    third = Browser(server)
    assert third.open(server.login_link()).url.endswith("/login/code")
    assert third.send("/login/code", code=codes[0]).url == server.address + "/"
    fourth = Browser(server)
    fourth.send("/login", name="owner", password=PASSWORD)
    assert fourth.send("/login/code", code=codes[0]).status_code == 401

    server.command("users", "reset-second-factor", "owner")
    assert fourth.send("/login", name="owner", password=PASSWORD).url == server.address + "/"
    audit = server.command("audit")
    for action in ["second factor turned on", "recovery code used", "second factor reset"]:
        assert action in audit


def test_listed_passwords_are_refused():
    with tempfile.TemporaryDirectory(prefix="tern-refused-") as directory:
        path = f"{directory}/refused.txt"
        with open(path, "w", encoding="ascii") as refused:
            refused.write(f"{hashlib.sha1(PASSWORD.encode()).hexdigest().upper()}:12\nsunshine and rain\n")
        server = Serve(directory, "--refused-passwords", path)
        try:
            owner = Browser(server)
            owner.open(server.login_link())
            for password in [PASSWORD, "sunshine and rain", "my name is owner", "1234567890"]:
                assert owner.send("/account", do="password", password=password).status_code == 400, password
            assert owner.send("/account", do="password", password="another long password").ok
        finally:
            server.stop()

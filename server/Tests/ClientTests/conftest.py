"""A browser, servers and the checks that every page must pass."""

import importlib.resources
import json
import os
import re
import signal
import tempfile
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from tern import Demo, Serve

# A run that is ended still ends its servers and browsers.
signal.signal(signal.SIGTERM, signal.default_int_handler)

WIDE, NARROW = 1280, 390
# Only the script of this package: the package itself drives another browser library.
AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

# Why a form may not have been sent: where the focus is, and the fields that the browser does not accept.
STAY = """
return [document.activeElement.outerHTML,
        [...document.querySelectorAll(":invalid")].map(node => `${node.outerHTML} "${node.value}"`)];
"""


class Browser:
    """Chromium, driven by chromedriver."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("TERN_CHROMIUM", "/usr/bin/chromium")
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--no-first-run", "--disable-background-networking", "--hide-scrollbars", "--lang=en-US"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(os.environ.get("TERN_CHROMEDRIVER", "/usr/bin/chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(60)
        self.look(WIDE, "light")

    def look(self, width, scheme, height=900, scale=1):
        """Sets the size of the window, and the color scheme."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def open(self, address):
        self.driver.get(address)

    def follow(self, element):
        """Clicks on an element, and waits until the browser has left the page."""
        self.leave(element.click)

    def leave(self, action):
        """Does something that leads to another page, and waits until the browser is there."""
        self.driver.execute_script("window.isOld = true")
        action()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                if self.driver.execute_script("return !window.isOld && document.readyState === 'complete'"):
                    return
            except WebDriverException:  # Between two pages.
                pass
            time.sleep(0.02)
        focus, invalid = self.driver.execute_script(STAY)
        raise AssertionError(f"{self.driver.current_url} is still there; the focus is on {focus}, invalid: {invalid}")

    def problems(self, host):
        """Errors in the console, and requests to other hosts, since the last call."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = urlsplit(message["params"]["request"]["url"])
                if address.scheme in ("http", "https", "ws", "wss") and address.netloc != host:
                    found.append(f"a request to {address.netloc}")
        return found

    def width_problem(self):
        """The elements that make a page wider than its window."""
        return self.driver.execute_script("""
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= width) { return null; }
            const wide = [...document.querySelectorAll("body *")].filter(
              node => node.getBoundingClientRect().right > width + 1 && !node.closest(".scroll, .menu, pre, .quick"));
            return `${document.documentElement.scrollWidth} of ${width} px: `
              + wide.slice(0, 4).map(node => node.tagName + "." + node.className).join(", ");
            """)

    def axe_problems(self, rules=None):
        """What axe finds serious."""
        if not self.driver.execute_script("return !!window.axe"):
            self.driver.execute_script(AXE)
        violations = self.driver.execute_async_script(
            "const [options, done] = arguments; axe.run(document, options).then(results => done(results.violations));",
            {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {}))
        return [
            f"axe {violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
            for violation in violations if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"][:3]]

    def check(self, schemes=("light", "dark"), looks=True):
        """All problems of the current page."""
        address = urlsplit(self.driver.current_url)
        found = self.problems(address.netloc)
        for index, scheme in enumerate(schemes):
            self.look(WIDE, scheme)
            # Only colors depend on the scheme.
            found += [f"{scheme}: {problem}" for problem in self.axe_problems(["color-contrast"] if index else None)]
        if looks:
            for width in (NARROW, WIDE):
                self.look(width, schemes[0])
                if problem := self.width_problem():
                    found.append(f"at {width} px: {problem}")
        self.look(WIDE, "light")
        return [f"{address.path}?{address.query[:200]} {problem}" for problem in found]

    def walk(self, *starts, instances=1, inside=""):
        """Opens every kind of page that can be reached by links, and yields the address of each when it is open.

        Pages are of one kind if their addresses differ only in numbers, identifiers and the values of parameters.
        """
        host = urlsplit(starts[0]).netloc
        waiting, seen, kinds = list(starts), set(starts), {}
        while waiting:
            address = waiting.pop(0)
            self.open(address)
            links = self.driver.execute_script(
                "return [...document.querySelectorAll('a[href]')].filter(link => !link.hasAttribute('download'))"
                ".map(link => link.href)")
            yield address
            for link in links:
                parts = urlsplit(link)
                link = link.split("#")[0]
                path = re.sub(r"/(installs|users)/[^/]+", r"/\1/x", re.sub(r"\d+", "N", parts.path))
                names = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)} - {"from", "to", "days"}
                kind = (path, tuple(sorted(names & {"view", "occurrence", "event", "group"})))
                if link in seen or parts.netloc != host or "format" in names or not parts.path.startswith(inside or "/"):
                    continue
                limit = instances if {"event", "occurrence"} & names or "/people/" in path else 1
                if kinds.get(kind, 0) >= limit:
                    continue
                kinds[kind] = kinds.get(kind, 0) + 1
                seen.add(link)
                waiting.append(link)

    def crawl(self, *starts, instances=1, schemes=("light", "dark"), inside=""):
        """Checks every kind of page that can be reached by links, and returns their addresses and problems."""
        addresses, problems = [], []
        for address in self.walk(*starts, instances=instances, inside=inside):
            addresses.append(address)
            problems += self.check(schemes)
        return sorted(addresses), problems


@pytest.fixture(scope="session")
def browser():
    browser = Browser()
    yield browser
    browser.driver.quit()


@pytest.fixture(scope="session")
def demo(browser):
    """The demo after its history has arrived, with a browser that is logged in."""
    with tempfile.TemporaryDirectory(prefix="tern-browser-") as directory:
        demo = Demo(directory, installs=int(os.environ.get("TERN_DEMO_INSTALLS", "60")))
        try:
            browser.open(demo.link)
            demo.find(r"(the history has arrived)", 300)
            yield demo
        finally:
            demo.stop()


@pytest.fixture(scope="session")
def server(browser):
    """A server without apps, with a browser that is logged in."""
    with tempfile.TemporaryDirectory(prefix="tern-browser-") as directory:
        server = Serve(directory)
        try:
            server.authorization = {"Authorization": f"Bearer {server.token()}"}
            yield server
        finally:
            server.stop()

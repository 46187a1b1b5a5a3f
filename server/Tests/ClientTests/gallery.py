"""Pictures of every page of the demo at two widths, light and dark, for looking at them all."""

import base64
import os
import pathlib
import re
from urllib.parse import urlsplit

FOLDER = pathlib.Path(os.environ.get("TERN_GALLERY", "gallery"))
# A longer page is cut: its end looks like its middle.
HIGHEST = 3000

# The conversions of the page of releases: purchases per user, and a funnel.
RELEASES = "c1=event+Purchase&c2=funnel+s1%3Dscreen%2BCheckout%26s2%3Devent%2BPurchase"


def draw(browser, name, show=None):
    """Draws the current page, whole. It is shown again for each width, as a browser of that width would."""
    show = show or (lambda: browser.open(browser.driver.current_url))
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            browser.look(width, scheme, height=844 if width < 500 else 800)
            if scheme == "light":
                show()
            size = browser.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {
                "format": "png", "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": width, "height": min(size["height"], HIGHEST), "scale": 1}})
            (FOLDER / f"{name}.{width}.{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
    browser.look(1280, "light")


def name(address):
    """The name of a page's picture: its address without what a file's name cannot have."""
    parts = urlsplit(address)
    return re.sub(r"[^A-Za-z0-9=]+", "-", f"{parts.path} {parts.query}".strip("/ "))[:90].strip("-") or "home"


def post(browser, address, fields):
    """Sends a form that a person could have filled in wrongly."""
    browser.driver.execute_script("""
        const [address, fields] = arguments;
        const form = document.createElement("form");
        [form.method, form.action] = ["post", address];
        for (const [name, value] of Object.entries(fields)) {
          const field = document.createElement("input");
          [field.type, field.name, field.value] = ["hidden", name, value];
          form.append(field);
        }
        document.body.append(form);
        """, address, fields)
    browser.leave(lambda: browser.driver.execute_script("document.forms[document.forms.length - 1].submit()"))


def test_every_page_is_drawn(browser, demo):
    FOLDER.mkdir(parents=True, exist_ok=True)
    for address in browser.walk(f"{demo.address}/apps/1", f"{demo.address}/apps/2/views"):
        draw(browser, name(address))


def test_states_that_no_link_leads_to_are_drawn(browser, demo):
    FOLDER.mkdir(parents=True, exist_ok=True)
    app = f"{demo.address}/apps/1"
    states = {
        "funnel-by-version": "funnels?days=90&by=version&window=1h&s1=screen+Checkout&s2=event+Purchase",
        "funnel-of-four-steps": "funnels?days=90&s1=session_start&s2=screen+Player&s3=screen+Checkout&s4=event+Purchase",
        "funnel-before-its-steps": "funnels",
        "funnel-of-no-one": "funnels?s1=event+Nothing&s2=event+Purchase",
        "releases": f"releases?days=90&{RELEASES}",
        "releases-in-germany": f"releases?days=90&{RELEASES}&f1=country+is+DE",
        "releases-without-conversions": "releases?c1=none",
        "explore-by-country": "explore?metric=events&by=country&days=90&compare=before",
        "explore-in-bins": "explore?metric=events&event=Purchase&by=property:Total&days=90",
        "explore-with-mistakes": "explore?by=colour&metric=sum&window=x",
        "filtered-overview": "?f1=country+is+DE&f2=version+contains+3.3&compare=before",
        "filtered-to-nothing": "?f1=country+is+ZZ",
        "retention-of-a-quarter": "retention?days=90",
        "mistaken-range": "events?from=2026-05-12&to=2026-05-10",
        "nothing-found": "errors?from=2020-01-01&to=2020-01-07",
        "full-screen": "dashboards/1?view=full",
    }
    for title, path in states.items():
        browser.open(f"{app}/{path}".replace("/?", "?"))
        draw(browser, title)
    for title, path, fields in [
        ("app-without-a-name", "apps", {"name": ""}), ("app-with-a-mistaken-zone", "apps", {"name": "Other", "timeZone": "Berlin"}),
        ("settings-with-a-mistake", "apps/1/settings", {"name": "", "timeZone": "UTC"}),
        ("view-with-a-mistake", "apps/2/views", {"do": "create", "name": "Other", "timeZone": "UTC", "filters": "x"}),
        ("note-with-a-mistake", "apps/1/annotations", {"do": "create", "day": "tomorrow", "text": ""}),
        ("shared", "apps/1/links", {"do": "create", "report": "overview", "query": "f1=country+is+DE"}),
    ]:
        address, kept = f"{demo.address}/{path}", fields
        browser.open(demo.address)
        draw(browser, title, lambda: post(browser, address, kept))
    browser.open(browser.find(".secret code").text)
    draw(browser, "shared-page")
    for title, path in [("no-such-page", "nothing"), ("no-such-app", "apps/999"), ("ended-link", "shared/ended")]:
        browser.open(f"{demo.address}/{path}")
        draw(browser, title)
    browser.open(f"{demo.address}/account")
    browser.driver.delete_all_cookies()
    browser.open(f"{demo.address}/login")
    draw(browser, "login")
    draw(browser, "login-with-a-mistake",
         lambda: post(browser, f"{demo.address}/login", {"name": "owner", "password": "mistaken"}))

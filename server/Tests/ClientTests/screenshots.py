"""The pictures of the README, drawn from the demo."""

import base64

from tern import ROOT


def draw(browser, address, name, height, prepare=lambda: None):
    browser.look(1280, "light", height=height)
    browser.open(address)
    prepare()
    picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    (ROOT / "docs/images" / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))


def try_limit(browser):
    browser.find("#form [name=limit]").send_keys("7")
    browser.follow(next(button for button in browser.all("#form button") if button.text == "Show"))
    browser.driver.execute_script("document.getElementById('form').scrollIntoView()")


def test_pictures(browser, demo):
    draw(browser, f"{demo.address}/apps/1/releases?days=90", "releases", 1400)
    draw(browser, f"{demo.address}/apps/1/retention?days=90", "retention", 900)
    steps = "s1=session_start&s2=screen+Player&s3=screen+Checkout&s4=event+Purchase"
    draw(browser, f"{demo.address}/apps/1/funnels?days=90&{steps}", "funnel", 900)
    draw(browser, f"{demo.address}/apps/1/dashboards/2", "dashboard", 1060)
    watched = f"{demo.address}/apps/1/alerts?question=metric%3Devents%26event%3DPurchase"
    draw(browser, watched, "alert", 900, lambda: try_limit(browser))

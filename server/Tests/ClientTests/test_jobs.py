"""Thirteen jobs that people have, each with the most clicks that it may take, by mouse and by keyboard alone."""

import re
import time
import uuid
from urllib.parse import quote_plus

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from conftest import Browser
from hands import Keyboard, Mouse
from test_extremes import line


@pytest.fixture(scope="module")
def guest():
    """A browser that nobody has logged in."""
    guest = Browser()
    yield guest
    guest.driver.quit()


@pytest.fixture(params=[Mouse, Keyboard], ids=["mouse", "keyboard"])
def start(request, browser, demo):
    """Gives someone a hand, and the overview of the demo's app."""

    def begin(most, page=""):
        nonlocal hand
        browser.open(f"{demo.address}/apps/1/{page}".rstrip("/"))
        hand = request.param(browser, most)
        return hand

    hand = None
    yield begin
    if hand:
        print(f"{request.node.name}: {hand.clicks} clicks, {hand.keys} keys")
    assert not browser.problems(demo.address.split("//")[1])


def number(text):
    """The number with which a text begins."""
    return int(re.match(r"−?[\d,]+", text.strip()).group(0).replace(",", "").replace("−", "-"))


def tile(browser, name):
    """The large figure with a name."""
    for tile in browser.all(".tile"):
        if tile.find_element(By.TAG_NAME, "h2").text == name:
            return tile
    raise AssertionError(f"no figure {name!r}")


def figure(browser, name):
    return number(tile(browser, name).find_element(By.CSS_SELECTOR, ".value").text)


def row(browser, text):
    """The row of a table that begins with a text."""
    return next(
        row for row in browser.all("main tbody tr") if row.find_element(By.TAG_NAME, "th").text.startswith(text))


def days_of_event(browser, name, days):
    """How often an event happened on each day, from its report for programs."""
    report = browser.driver.execute_async_script(
        "const [address, done] = arguments; fetch(address).then(answer => answer.json()).then(done);",
        f"/api/v1/apps/1/reports/event?event={quote_plus(name)}&days={days}&format=json")
    return [day["count"] for day in report["event"]["days"]]


def people(browser):
    """The number of people on the page to which a figure led."""
    assert browser.find("h1").text == "People"
    count = number(browser.find(".asked h2").text)
    assert len(browser.all(".asked tbody th a[href*='/people/']")) == min(count, 100), "each leads to a person"
    return count


def test_the_release_that_made_purchases_fall_in_a_country_is_found(start, browser, demo):
    browser.open(f"{demo.address}/apps/1/releases?c1=event+Purchase&c2=none")
    for button in browser.all(".choosers button"):
        browser.follow(button)
        break
    # From the first page of the app: its menu of countries, and one of them.
    hand = start(most=2, page="releases")
    hand.press(hand.see("Country:", part=True))
    hand.follow("Germany")
    assert "f1=country+is+DE" in browser.driver.current_url and "c1=event+Purchase" in browser.driver.current_url
    heads = [head.text for head in browser.all("main .asked thead th")]
    assert "Purchase per user" in heads
    differences = browser.all("main .asked tbody td .difference .extent")
    assert differences, "each release against the one before"


def test_a_filtered_page_is_shared(start, browser, guest):
    hand = start(most=5)
    all_users, all_events = figure(browser, "Active users"), figure(browser, "Events")
    hand.follow("Filter by Germany")
    hand.follow(hand.see("Filter by 3.2.1", part=True))
    users, events = figure(browser, "Active users"), figure(browser, "Events")
    assert 0 < users < all_users and 0 < events < all_events
    hand.follow("Share")
    hand.follow("Create link")
    guest.open(browser.find(".secret code").text)
    assert (figure(guest, "Active users"), figure(guest, "Events")) == (users, events)
    text = guest.find("main").text
    assert "Germany" in text and "3.2.1" in text
    assert "Brazil" not in text, "other countries are left out"
    assert not guest.all("nav.menu, .builder"), "nothing else can be opened"


def test_a_funnel_by_version_names_those_who_dropped_out(start, browser):
    hand = start(most=8)
    hand.follow("Funnels", "nav.menu")
    hand.write("Name of step 1", "Checkout")
    hand.write("Name of step 2", "Purchase")
    hand.write("Breakdown", "version")
    hand.follow("Apply")
    cells = [cell.text for cell in row(browser, "3.2.1").find_elements(By.CSS_SELECTOR, "td")]
    began, bought, left = number(cells[0]), number(cells[1]), -number(cells[1].split("\n")[1])
    assert began == bought + left and left > 0
    hand.follow(row(browser, "3.2.1").find_element(By.CSS_SELECTOR, "a.left"))
    assert people(browser) == left
    assert "who stopped before step 2" in browser.find("main").text


def test_retention_is_shown_with_those_who_came_back(start, browser):
    hand = start(most=2)
    hand.follow("Retention", "nav.menu")
    returned = browser.find("table.heat tbody td:not(:nth-of-type(1)) a")
    share = float(returned.text.rstrip(" %"))
    size = number(returned.find_element(By.XPATH, "ancestor::tr/td[1]").text)
    assert 0 < share <= 100
    hand.follow(returned)
    assert round(people(browser) / size * 100, 1) == share


def test_a_crash_leads_to_its_trail_and_forward(start, browser, demo):
    # In so small a demo, nothing has crashed of late.
    name, install, now = f"Crash {uuid.uuid4().hex[:6]}", str(uuid.uuid4()), int(time.time() * 1000)
    exception = {"type": name, "message": "Index out of range", "frames": [{"className": "Cart", "methodName": "total()"}]}
    browser.open(f"{demo.address}/apps/1/setup")
    demo.send({"key": browser.find(".keys dd code").text}, [
        line("event", "Cart opened", install, {"time": now - 3000}),
        line("crash", name, install, {"time": now - 2000, "exception": exception}),
        line("event", "Cart restored", install, {"time": now - 1000})])
    browser.open(f"{demo.address}/apps/1/errors")
    WebDriverWait(browser.driver, 30).until(
        lambda driver: name in browser.find("main").text or driver.refresh())
    hand = start(most=4)
    hand.follow("Errors", "nav.menu")
    hand.follow(name)
    hand.follow(browser.find("main tbody a.install"))
    steps = [step.text for step in browser.all(".trails .what strong")]
    assert steps[:2] == [name, "Cart opened"], "the page begins with the crash"
    hand.follow("Later")
    assert browser.find(".trails .what strong").text == "Cart restored"


def test_a_week_of_one_event_is_compared_with_the_week_before(start, browser):
    hand = start(most=3)
    hand.follow("Video clicked")
    hand.follow("7 days")
    this, last = re.search(r"([\d,]+) without today, ([\d,]+) before", tile(browser, "Occurrences").text).groups()
    this, last = number(this), number(last)
    days = days_of_event(browser, "Video clicked", 14)
    # Today is left out on both sides.
    assert (this, last) == (sum(days[7:13]), sum(days[:6]))
    change = tile(browser, "Occurrences").find_element(By.CSS_SELECTOR, ".change").text
    assert change.replace("−", "-") == f"{(this - last) / last * 100:+.1f} %"


def test_a_property_has_statistics_and_a_histogram(start, browser):
    hand = start(most=2)
    hand.follow("Video clicked")
    panel = next(panel for panel in browser.all(".panel.bars") if panel.find_element(By.TAG_NAME, "h3").text == "Length")
    texts = {
        term.text: figure.text for term, figure in zip(
            panel.find_elements(By.CSS_SELECTOR, ".statistics dt"), panel.find_elements(By.CSS_SELECTOR, ".statistics dd"))}
    values = [float(texts[name].replace(",", "")) for name in ["Minimum", "Median", "P90", "P99", "Maximum"]]
    assert values == sorted(set(values)) and values[0] < float(texts["Mean"].replace(",", "")) < values[-1]
    counts = browser.driver.execute_script(
        "return [...arguments[0].querySelectorAll('.histogram tbody td')].map(cell => cell.textContent)", panel)
    # More may arrive between the answers of a page.
    times = number(panel.find_element(By.CSS_SELECTOR, ".unit").text)
    assert len(counts) > 4 and abs(sum(map(number, counts)) - times) <= times / 50


def card(browser, name):
    """A card of a dashboard: what its chart tells, and its figures of the days that are over."""
    part = next(part for part in browser.all(".cards > .panel") if part.find_element(By.TAG_NAME, "h2").text == name)
    rows = browser.driver.execute_script(
        "return [...arguments[0].querySelectorAll('.figures tbody tr')].map(row => row.textContent)", part)
    return part.get_attribute("textContent"), rows[1:]


def test_a_question_is_saved_noted_and_shared_on_a_dashboard(start, browser, guest):
    name, note = f"Users of {uuid.uuid4().hex[:6]}", f"Interview {uuid.uuid4().hex[:6]}"
    hand = start(most=6)
    hand.follow("Explore", "nav.menu")
    hand.press("Save to a dashboard")
    hand.write("Name of the card", name)
    hand.enter()
    dashboard = browser.driver.current_url
    hand.follow("Share")
    hand.follow("Create link")
    secret = browser.find(".secret code").text
    hand.follow("Notes")
    hand.write("Note", note)
    hand.enter()
    browser.open(dashboard)
    text, figures = card(browser, name)
    assert note in text and len(figures) == 29
    guest.open(secret)
    assert card(guest, name)[1] == figures
    assert not guest.all("nav.menu, main form, a[href^='/apps']"), "nothing else can be opened"


def test_a_chart_is_watched_with_a_limit_that_was_tried_before(start, browser):
    hand = start(most=5, page="explore?metric=events&event=Purchase")
    hand.follow("Watch this")
    hand.write("Limit (of shares, in %)", "1")
    hand.enter()
    fired = browser.find("#form .fired").text
    assert re.fullmatch(r"It would have fired [1-9]\d* times? in the last 90 days, .*\.", fired), fired
    assert "Limit: 1" in browser.find("#form .legend").text
    hand.write("New destination", "someone@example.org")
    hand.follow("Add", "#form")
    condition = row(browser, "Events of Purchase above 1 per day").find_elements(By.TAG_NAME, "td")[0].text
    assert condition == "Events of Purchase above 1 per day"
    # The alert would be there for the other hand.
    browser.follow(next(
        button for button in row(browser, "Events of Purchase").find_elements(By.TAG_NAME, "button") if button.text == "Delete"))


def names(browser):
    return [head.text for head in browser.all(".cards > .panel h2")]


def test_a_dashboard_of_three_cards_is_made_from_charts(start, browser, demo):
    board = f"Weekly {uuid.uuid4().hex[:6]}"
    # Its page, the fold, a new dashboard, and Save. Names are proposed.
    hand = start(most=4)
    hand.follow("Explore", "nav.menu")
    hand.press("Save to a dashboard")
    hand.write("Name of the card", board)
    hand.choose(browser.find(".program [name=dashboard]"), "A new one with this name")
    hand.follow("Save")
    address = browser.driver.current_url
    for page, proposed in [("explore?metric=sessions", "Sessions"), ("explore?by=version", "Users by version")]:
        browser.open(f"{demo.address}/apps/1/{page}")
        browser.find("details.program summary").click()
        assert browser.find(".program [name=name]").get_attribute("value") == proposed
        Select(browser.find(".program [name=dashboard]")).select_by_visible_text(board)
        browser.follow(browser.find(".program button[type=submit]"))
    assert browser.driver.current_url == address
    assert names(browser) == [board, "Sessions", "Users by version"]
    for card in browser.all(".cards > .panel"):
        assert number(card.find_element(By.CSS_SELECTOR, ".headline .value").text) > 0
        assert "before" in card.find_element(By.CSS_SELECTOR, ".headline .changeline").text


def test_a_dashboard_is_arranged_in_place(start, browser, demo):
    browser.open(f"{demo.address}/apps/1/dashboards/1")
    before = names(browser)
    hand = start(most=4, page="dashboards/1")
    hand.press(f"Change {before[0]}")
    hand.follow(f"Move {before[0]} right")
    assert names(browser)[:2] == [before[1], before[0]]
    hand.press(f"Change {before[0]}")
    hand.follow(f"Move {before[0]} left")
    assert names(browser) == before


def test_the_days_of_a_dashboard_are_changed_and_given_back(start, browser):
    hand = start(most=2, page="dashboards/1")
    own = [line.text for line in browser.all(".headline .changeline")]
    hand.follow("7 days")
    assert [line.text for line in browser.all(".headline .changeline")] != own
    hand.follow("Own days")
    assert [line.text for line in browser.all(".headline .changeline")] == own


def test_an_app_a_view_and_a_zone_are_set_up(start, browser):
    name = f"Radio {uuid.uuid4().hex[:6]}"
    hand = start(most=9)
    hand.follow("Tern", "header")
    hand.write("Name", name)
    hand.enter()
    assert name in browser.find("header.rail").text
    hand.follow("Views", "nav.menu")
    hand.write("Name", "Evenings")
    hand.write("Time zone", "America/Los_Angeles")
    hand.enter()
    hand.follow("Settings", "nav.menu")
    hand.write("Time zone", "Asia/Tokyo")
    hand.follow("Save")
    assert "zone" in browser.find("main [role=status]").text
    assert "Asia/Tokyo" in browser.find("footer").text
    hand.follow("Views", "nav.menu")
    assert [cell.text for cell in row(browser, "Evenings").find_elements(By.TAG_NAME, "td")][0] == "America/Los_Angeles"

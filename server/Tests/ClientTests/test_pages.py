"""Tables, days, the live page and the settings in a real browser, by mouse and by keyboard."""

import datetime

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from test_extremes import line


def column(browser, number):
    return [row.find_elements(By.CSS_SELECTOR, "th, td")[number].text for row in browser.all("main tbody tr")]


def numbers(texts):
    return [int(text.replace(",", "")) for text in texts]


def wait(browser, condition, seconds=30):
    return WebDriverWait(browser.driver, seconds).until(lambda _: condition())


def test_a_table_is_sorted_by_its_headings_and_searched(browser, demo):
    browser.open(f"{demo.address}/apps/1/countries?days=90")
    assert len(browser.all("main tbody tr")) > 5
    assert numbers(column(browser, 2)) == sorted(numbers(column(browser, 2)), reverse=True), "the report's own order"
    for heading in browser.all("main thead .sort"):
        if heading.text == "Country":
            heading.click()
    assert column(browser, 0) == sorted(column(browser, 0))
    assert browser.find("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    users = next(heading for heading in browser.all("main thead .sort") if heading.text == "Users")
    users.send_keys(Keys.ENTER)
    assert numbers(column(browser, 4)) == sorted(numbers(column(browser, 4)), reverse=True)
    users.send_keys(Keys.ENTER)
    assert numbers(column(browser, 4)) == sorted(numbers(column(browser, 4)))
    assert not browser.check()

    browser.open(f"{demo.address}/apps/1/people?days=90")
    rows = len(browser.all("main tbody tr"))
    browser.find(".search input").send_keys("member-3")
    shown = [row for row in browser.all("main tbody tr") if row.is_displayed()]
    assert 0 < len(shown) < rows and all("member-3" in row.text for row in shown)
    assert browser.find(".search [role=status]").text == f"{len(shown)} of {rows}"
    assert not browser.check()


def test_a_card_is_dragged_to_another_place(browser, demo):
    browser.open(f"{demo.address}/apps/1/dashboards/1")
    browser.look(1280, "light")

    def names():
        return [head.text for head in browser.all(".cards > .panel h2")]

    def drag(card, place):
        cards = browser.all(".cards > .panel")
        grip = cards[card].find_element(By.CSS_SELECTOR, ".grip")
        browser.leave(lambda: ActionChains(browser.driver).click_and_hold(grip).move_to_element(cards[place]).release().perform())

    before = names()
    drag(0, 1)
    assert names() == [before[1], before[0], *before[2:]]
    drag(1, 0)
    assert names() == before
    assert not browser.check()


@pytest.mark.parametrize("days", ["days=never", "days=99999999999999999999", "from=2026-05-01&to=2026-04-01", "from=%22%3E%3Cb%3E&to=x"])
@pytest.mark.parametrize("view", ["", "view=full&"])
def test_days_of_a_dashboard_that_are_none_are_refused_in_words(browser, demo, days, view):
    browser.open(f"{demo.address}/apps/1/dashboards/1?{view}{days}")
    assert len(browser.all("main [role=alert]")) == 1
    assert all(line.text for line in browser.all(".cards .headline .changeline")), "cards have their own days"


def test_a_dashboard_is_arranged_without_scripts(browser, demo):
    address = f"{demo.address}/apps/1/dashboards/1"
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(f"{address}?days=7")
        before = [head.text for head in browser.all(".cards > .panel h2")]
        assert not any(grip.is_displayed() for grip in browser.all(".grip"))
        for place, button in [(0, "right"), (1, "left")]:
            card = browser.all(".cards > .panel")[place]
            card.find_element(By.CSS_SELECTOR, ".cardmenu > summary").click()
            card.find_element(By.CSS_SELECTOR, f"form.move button[aria-label$='{button}']").click()
            wait(browser, lambda: browser.driver.current_url == f"{address}?days=7#place{1 - place}")
            names = [head.text for head in browser.all(".cards > .panel h2")]
            assert names == ([before[1], before[0], *before[2:]] if place == 0 else before)
        browser.open(f"{address}?view=full")
        assert not browser.find("[data-fill]").is_displayed(), "only a script can fill the screen"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_cards_read_their_figures_again(browser, demo):
    browser.open(f"{demo.address}/apps/1/dashboards/1?view=full")
    assert not browser.all("nav.menu")
    # A minute is long for a test: a second copy of the script waits less.
    source = browser.driver.execute_script("return document.querySelector('script[src*=\"dashboard.js\"]').src")
    browser.driver.execute_script("""
        const [source] = arguments, part = document.querySelector('.cards');
        part.dataset.every = "0.2";
        part.firstElementChild.dataset.old = "1";
        const script = document.createElement("script");
        script.src = source;
        document.head.append(script);
        """, source)
    wait(browser, lambda: not browser.all(".cards [data-old]"))
    assert browser.all(".cards .save button"), "charts have their buttons again"


def test_no_page_scrolls_within_itself(browser, demo):
    for page in ["people?days=90", "events?days=90", "explore?days=90&by=country"]:
        browser.open(f"{demo.address}/apps/1/{page}")
        boxes = browser.driver.execute_script(
            "return [...document.querySelectorAll('main *')].filter(node => node.scrollHeight > node.clientHeight + 1"
            " && ['auto', 'scroll'].includes(getComputedStyle(node).overflowY) && node.clientHeight > 0)"
            ".map(node => node.className)")
        assert not boxes, page


def test_a_day_is_chosen_in_the_calendar_by_keyboard(browser, demo):
    browser.open(f"{demo.address}/apps/1/events?from=2026-05-10&to=2026-05-12")
    browser.find("[name=from]").send_keys(Keys.TAB, Keys.ENTER)
    assert browser.find(".calendar strong").text == "May 2026"
    assert not browser.axe_problems()
    focused = browser.driver.switch_to.active_element
    assert focused.text == "10"
    focused.send_keys(Keys.ARROW_UP)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.find("[name=from]").get_attribute("value") == "2026-05-03" and not browser.all(".calendar")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER, Keys.ESCAPE)
    assert not browser.all(".calendar")
    browser.follow(browser.find(".dates button[type=submit]"))
    assert browser.find(".sub").text.startswith("3 May – 12 May 2026")

    browser.open(f"{demo.address}/apps/1/events?from=2026-05-12&to=2026-05-10")
    assert browser.find("h1").text == "Events"
    assert "after the end" in browser.find("#mistake").text
    assert browser.find("[name=from]").get_attribute("value") == "2026-05-12"
    assert not [problem for problem in browser.check() if "400" not in problem]


def test_the_menu_is_reachable_without_scrolling(browser, demo):
    for width, height in [(1280, 720), (900, 720), (720, 720), (390, 844)]:
        browser.look(width, "light", height=height)
        browser.open(f"{demo.address}/apps/1/languages")
        for entry in browser.all(".menu a"):
            box = entry.rect
            assert 0 <= box["y"] and box["y"] + box["height"] <= height, (width, entry.text)
            assert 0 <= box["x"] and box["x"] + box["width"] <= width, (width, entry.text)
        assert browser.find(".menu [aria-current]").text == "Audience"
        assert browser.find(".sections [aria-current]").text == "Languages"
    browser.look(1280, "light")


def test_everything_is_found_by_keyboard_alone(browser, demo):
    def press(*keys):
        ActionChains(browser.driver).send_keys(*keys).perform()

    def found():
        # At once, because each letter replaces them.
        return browser.driver.execute_script(
            "return [...document.querySelectorAll('dialog.palette[open] .found a')].map(link => [link.textContent, link.href])")

    def open_search():
        ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
        wait(browser, found)

    browser.open(f"{demo.address}/apps/1/events?days=90")
    event = browser.find("main tbody tr a").text
    open_search()
    assert browser.driver.switch_to.active_element.tag_name == "input"
    assert not browser.check()
    press("countr")
    wait(browser, lambda: [name for name, _ in found()][:1] == ["Countries"])
    browser.leave(lambda: press(Keys.ENTER))
    assert browser.driver.current_url == f"{demo.address}/apps/1/countries"

    open_search()
    press(event)
    wait(browser, lambda: [address for _, address in found() if "/event?event=" in address])
    for name, address in found():
        press(Keys.ARROW_DOWN)
        if "/event?event=" in address and name == event:
            break
    browser.leave(lambda: press(Keys.ENTER))
    assert browser.find("h1").text == event

    open_search()
    press(Keys.ESCAPE)
    assert not browser.all("dialog.palette[open]"), "Escape closes it"
    # Without a script, the same is a page.
    browser.open(f"{demo.address}/apps/1/find?q=no+such+thing+anywhere")
    assert not browser.all(".found a[href*='/event?']")
    assert not browser.check()


def create_app(browser, demo, name):
    """Creates an app, and returns its number and its key."""
    browser.open(f"{demo.address}/")
    browser.find("[name=name]").send_keys(name)
    browser.follow(browser.find("main form button.primary"))
    return browser.driver.current_url.split("/apps/")[1].split("/")[0], browser.find(".keys dd code").text


@pytest.fixture
def silent_stream(browser):
    """Streams never answer, as behind a proxy that holds them back, and pages give up on them sooner."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.EventSource = class { addEventListener() {} close() {} };
        const later = window.setTimeout;
        window.setTimeout = (action, time) => later(action, time / 20);
        """})
    yield
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def expect_rows_wait(browser, demo, name, word):
    """Rows that arrive while the live page of a new app is paused are counted, and shown when it goes on."""
    app, key = create_app(browser, demo, name)
    browser.open(f"{demo.address}/apps/{app}/live")
    wait(browser, lambda: browser.find(".state .word").text == word)
    assert "No events yet" in browser.find("section.live").text

    def send(event):
        demo.send({"key": key}, [line("event", event, "7d444840-9dc0-11d1-b245-5ffdce74fad2")])

    def rows():
        return browser.driver.execute_script(
            "return [...document.querySelectorAll('.stream > li strong')].map(name => name.textContent)")

    send("First")
    wait(browser, lambda: rows() == ["First"])
    assert "No events yet" not in browser.find("section.live").text
    browser.find(".pause").click()
    send("Second")
    send("Third")
    wait(browser, lambda: browser.find(".pause").text == "Resume (2 new)")
    assert rows() == ["First"]
    browser.find(".pause").click()
    assert rows() == ["Third", "Second", "First"]
    assert not browser.check()


def test_rows_wait_while_the_live_page_is_paused(browser, demo):
    expect_rows_wait(browser, demo, "Paused stream", "Live")


def test_rows_wait_while_the_live_page_is_paused_without_a_stream(browser, demo, silent_stream):
    expect_rows_wait(browser, demo, "Paused without a stream", "Live, every 5 seconds")


def test_the_live_page_pauses_and_filters(browser, demo):
    browser.open(f"{demo.address}/apps/1/live")
    state = browser.find(".state .word")
    wait(browser, lambda: state.text == "Live")
    # Rows arrive meanwhile, so they are read at once.
    kinds = ("return [...new Set([...document.querySelectorAll('.stream > li:not([hidden])')]"
             ".map(row => row.classList[0]))]")
    assert len(browser.driver.execute_script(kinds)) > 1
    Select(browser.find(".livebar [name=kind]")).select_by_visible_text("Screen")
    assert browser.driver.execute_script(kinds) == ["screen"]
    Select(browser.find(".livebar [name=kind]")).select_by_visible_text("All")
    browser.find(".livebar [name=text]").send_keys("search p")
    assert browser.find(".pause").text == "Pause", "a letter typed into a field is no command"
    browser.find(".livebar [name=text]").clear()
    browser.find("body").send_keys("p")
    assert browser.find(".pause").get_attribute("aria-pressed") == "true"
    browser.find(".pause").click()
    assert browser.find(".pause").text == "Pause"
    assert not browser.check()


def test_the_light_of_a_new_app_turns_green(browser, demo):
    app, key = create_app(browser, demo, "Fresh")
    assert "Waiting for the first event" in browser.find(".arrival").text
    assert not browser.check()
    demo.send({"key": key}, [line("event", "First of all", "7d444840-9dc0-11d1-b245-5ffdce74fad2")])
    wait(browser, lambda: "First of all" in browser.find(".arrival").text)
    assert browser.find(".arrival .state").get_attribute("data-state") == "on"

    browser.open(f"{demo.address}/")
    browser.find("[name=name]").send_keys("Fresh")
    browser.follow(browser.find("main form button.primary"))
    assert "already" in browser.find("[role=alert]").text
    browser.find("[name=twin]").click()
    browser.follow(browser.find("main form button.primary"))
    twin = browser.driver.current_url.split("/apps/")[1].split("/")[0]
    browser.open(f"{demo.address}/apps/{twin}/settings")
    assert f"App {app} has this name, too." in browser.find("main").text
    zone = browser.find("[name=timeZone]")
    zone.clear()
    zone.send_keys("Asia/Tokyo")
    browser.follow(browser.find("main form button.primary"))
    assert browser.find("main [role=status]").text == "Saved: time zone."
    browser.open(f"{demo.address}/apps/{app}/settings")
    assert not browser.all("[name=timeZone]")
    assert not [problem for problem in browser.check() if "400" not in problem]


def test_today_looks_like_other_days(browser, demo):
    browser.open(f"{demo.address}/apps/1/explore?days=14&metric=events&show=table")
    counts = numbers(column(browser, 1))
    today, usual = counts[0], sorted(counts[1:])[len(counts) // 2]
    hours = datetime.datetime.now(datetime.UTC).hour
    assert today <= usual * 1.6 + 60, (today, usual, hours)
    # In the morning there may be none yet, by chance.
    assert today >= usual * hours / 24 * 0.3 - 10, (today, usual, hours)


def test_an_alert_on_a_share_has_its_limit_in_percent(browser, demo):
    app, _ = create_app(browser, demo, "Shares")
    browser.open(f"{demo.address}/apps/{app}/explore?metric=crash_free_users")
    browser.open(browser.find("a[href*='/alerts?question=']").get_attribute("href"))

    def label():
        return browser.find("#form [name=limit]").get_attribute("aria-label")

    def add(limit):
        for name, text in [("limit", limit), ("to", "a@example.org")]:
            browser.find(f"#form [name={name}]").clear()
            browser.find(f"#form [name={name}]").send_keys(text)
        Select(browser.find("#form [name=kind]")).select_by_value("below")
        browser.follow(browser.find("#form button.primary"))

    assert label() == "Limit, in %"
    add("101")
    assert "at most 100 percent" in browser.find("[role=alert]").text and label() == "Limit, in %"
    # The browser reports the status of the refused form as an error.
    browser.problems(demo.address.split("//")[1])
    add("90")
    assert "rash-free users below 90 % per day" in browser.find("main tbody").text
    assert not browser.check()

"""What a person does in the demo, in a real browser."""

import csv
import io
import re
import struct
import time
import urllib.request
from xml.etree import ElementTree

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait


def fill(browser, name, text):
    field = browser.find(f".ask [name={name}]")
    if field.tag_name == "select":
        Select(field).select_by_visible_text(text)
    else:
        field.clear()
        field.send_keys(text)


def chips(browser):
    """The filters of the page, in words."""
    return [chip.text.removesuffix("×").strip() for chip in browser.all(".builder .chip")]


def show(browser):
    browser.follow(browser.find(".ask button[type=submit]"))


def row(browser, text):
    """The row of a table whose heading contains a text."""
    return next(
        row for row in browser.all(".asked tbody tr") if text in row.find_element(By.TAG_NAME, "th").text)


def test_a_funnel_is_built_by_clicking_and_leads_to_a_person_and_a_crash(browser, demo):
    browser.open(f"{demo.address}/apps/1")
    browser.follow(browser.find("nav.menu a[href$='/funnels']"))
    fill(browser, "days", "in the last 90 days")
    fill(browser, "k1", "the screen")
    fill(browser, "n1", "Player")
    fill(browser, "k2", "a crash")
    fill(browser, "window", "1h")
    show(browser)
    assert "Player" in row(browser, "1.").text
    reached = row(browser, "2.").find_element(By.CSS_SELECTOR, "td a")
    count = int(reached.text.replace(",", ""))
    assert count > 0

    # The address is the whole state: someone else who opens it sees the same.
    shared = browser.driver.current_url
    assert shared.endswith("/apps/1/funnels?window=1h&days=90&s1=screen+Player&s2=crash")
    answer = browser.find(".asked table").text
    browser.driver.switch_to.new_window("tab")
    browser.open(shared)
    assert browser.find(".asked table").text == answer
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])

    browser.follow(row(browser, "2.").find_element(By.CSS_SELECTOR, "td a"))
    assert browser.find("h1").text == "People"
    assert len(browser.all(".asked tbody tr")) == min(count, 100)
    browser.follow(browser.find(".asked tbody th a"))
    # The crash is weeks ago, some pages back.
    for _ in range(30):
        if crashes := browser.all(".trails li.crash strong a"):
            break
        browser.follow(browser.driver.find_element(By.LINK_TEXT, "Earlier"))
    browser.follow(crashes[0])
    assert browser.find("h1").text == "EXC_BAD_ACCESS"
    text = browser.find("main").text
    assert "HardwareDecoder" in text and "3.2.0" in text
    # The events before the crash.
    assert "Video clicked" in browser.find("section.live").text
    assert not browser.problems(demo.address.split("//")[1])


def test_the_history_of_the_demo_tells_a_story(browser, demo):
    def funnel(filter_value):
        browser.open(
            f"{demo.address}/apps/1/funnels?days=90&k1=screen&n1=Checkout&k2=event&n2=Purchase&window=1h"
            f"&f1=version&o1={filter_value}&v1=3.3.0")
        return float(row(browser, "2.").find_elements(By.TAG_NAME, "td")[1].text.rstrip("%"))

    assert funnel("contains") > funnel("is_not") + 10, "the newest release sells more"

    browser.open(f"{demo.address}/apps/1/explore?days=90&metric=crashes&by=version")
    versions = [line.find_elements(By.CSS_SELECTOR, "th, td") for line in browser.all(".asked tbody tr")]
    crashing = [cells[0].text for cells in versions if cells[0].text.startswith("3.") and cells[1].text != "0"]
    assert crashing == ["3.2.0 (418) Filter"]

    browser.open(f"{demo.address}/apps/2/views")
    assert "America/Los_Angeles" in browser.find("main").text
    browser.open(f"{demo.address}/apps/2/late?view=1&days=90")
    versions = {row.find_elements(By.TAG_NAME, "td")[0].text for row in browser.all("main tbody tr")}
    assert versions == {"2.4", "2.5"}, "some hits of televisions are late, and nothing else is"


def test_a_question_is_saved_to_a_dashboard_and_a_note_is_marked_on_its_chart(browser, demo):
    browser.open(f"{demo.address}/apps/1/explore?days=90&metric=crashes")
    browser.find("form.row").find_element(By.XPATH, "..").find_element(By.TAG_NAME, "summary").click()
    browser.find("form.row [name=name]").clear()
    browser.find("form.row [name=name]").send_keys("Crashes")
    Select(browser.find("form.row [name=dashboard]")).select_by_visible_text("Sales")
    browser.follow(browser.find("form.row button"))
    assert browser.find("h1").text == "Sales"
    assert browser.all(".cards h2")[-1].text == "Crashes"
    assert len(browser.all(".cards figure.chart, .cards table")) >= 5, "every card has a picture or a table"

    browser.follow(browser.find("nav.menu a[href$='/settings']"))
    browser.follow(browser.find("nav.sections a[href$='/annotations']"))
    assert "An advertisement brings new people" in browser.find("main").text
    assert "3.2.0 (418)" in browser.find("main").text, "releases are found"
    browser.find("form [name=text]").send_keys("Interview on television")
    browser.follow(browser.find("main form button[type=submit].primary"))
    browser.open(f"{demo.address}/apps/1")
    notes = browser.find("details.notes")
    notes.find_element(By.TAG_NAME, "summary").click()
    assert "Interview on television" in notes.text
    assert not browser.problems(demo.address.split("//")[1])


def test_a_page_is_filtered_by_a_suggested_value_and_its_links_keep_the_filter(browser, demo):
    browser.open(f"{demo.address}/apps/1/countries")
    assert len(browser.all("main table tbody tr")) > 1
    browser.find(".add[data-add=filter]").click()
    fill(browser, "f1", "country")
    value = browser.find(".ask [name=v1]")
    value.click()
    WebDriverWait(browser.driver, 30).until(lambda _: browser.all("#values-1 option"))
    suggested = browser.find("#values-1 option")
    assert re.fullmatch(r"(.+, )?\d+ users?", suggested.get_attribute("label"))
    country = suggested.get_attribute("value")
    value.send_keys(country)
    show(browser)
    # Its name is typed, its code is in the address.
    assert re.search(r"/apps/1/countries\?f1=country\+is\+[A-Z]{2}$", browser.driver.current_url)
    assert len(browser.all("main table tbody tr")) == 1
    name = browser.find("main table tbody th bdi").text
    assert name == country
    assert chips(browser) == [f"country is {name}"]
    for selector in ["nav.sections a[href*='/devices']", "nav.menu a[href*='/funnels']", "nav.menu a[href*='/explore']"]:
        browser.follow(browser.find(selector))
        assert chips(browser) == [f"country is {name}"]
        assert not browser.check()

    browser.find(".builder .save summary").click()
    browser.find(".builder form.row [name=name]").send_keys("One country")
    browser.follow(browser.find(".builder form.row button"))
    assert browser.find("h1").text == "Segments" and "One country" in browser.find("main").text
    browser.open(f"{demo.address}/apps/1")
    fill(browser, "segment", "One country")
    show(browser)
    assert re.search(r"/apps/1\?segment=\d+$", browser.driver.current_url)
    assert not browser.check()


def people_behind(browser, link):
    """The number of people on the page to which a figure leads."""
    browser.follow(link)
    assert browser.find("h1").text == "People"
    return int(re.match(r"([\d,]+) user", browser.find(".asked h2").text).group(1).replace(",", ""))


def test_figures_of_one_value_and_of_paths_lead_to_the_people_behind_them(browser, demo):
    browser.open(
        f"{demo.address}/apps/1/funnels?days=90&by=version&k1=screen&n1=Checkout&k2=event&n2=Purchase&window=1h")
    section = next(part for part in browser.all(".asked") if "3.3.0" in part.text)
    figure = section.find_elements(By.CSS_SELECTOR, "tbody tr")[1].find_element(By.CSS_SELECTOR, "td a")
    count = int(figure.text)
    assert people_behind(browser, figure) == count > 0

    browser.open(f"{demo.address}/apps/1/paths?days=90")
    browser.find(".fold summary").click()
    sessions = browser.find(".asked tbody td a[href*='group=path']")
    count = int(sessions.text.replace(",", ""))
    assert 0 < people_behind(browser, sessions) <= count
    assert not browser.check()


def test_a_page_is_compared_with_a_segment(browser, demo):
    browser.open(f"{demo.address}/apps/1")
    fill(browser, "compare", "the segment Buyers")
    show(browser)
    assert "compared with Buyers" in browser.find(".head").text
    assert "Events, Buyers" in browser.find("figure.chart").text
    assert not browser.check()
    browser.follow(browser.find("nav.menu a[href*='/events']"))
    assert "compared with Buyers" in browser.find(".head").text
    for page in ["paths", "lifecycle"]:
        browser.open(f"{demo.address}/apps/1/{page}?days=30")
        fill(browser, "compare", "the segment Buyers")
        show(browser)
        browser.find(".fold summary").click()
        assert "Buyers is a segment." in browser.find("main").text or "Buyers" in browser.find(".asked thead").text
        assert not browser.check()
        browser.find(".builder .later summary").click()
        fill(browser, "show", "a table alone")
        show(browser)
        assert not browser.all("figure.chart, .flow") and browser.all(".asked table")


def test_names_of_properties_are_suggested(browser, demo):
    browser.open(f"{demo.address}/apps/1")
    browser.find(".add[data-add=filter]").click()
    suggestion = "#dimensions option[value='property:Category']"
    WebDriverWait(browser.driver, 30).until(lambda _: browser.all(suggestion))
    assert re.fullmatch(r"[\d,]+ rows?", browser.find(suggestion).get_attribute("label"))


def test_one_error_of_the_demo_is_closed_and_one_ignored_each_with_a_note(browser, demo):
    for status, error in [("closed", "SubtitleError"), ("ignored", "PreviewError")]:
        browser.open(f"{demo.address}/apps/1/errors?days=90&status={status}")
        assert error in browser.find("main").text and "Note: " in browser.find("main").text
    browser.open(f"{demo.address}/apps/1/errors?days=90")
    assert "EXC_BAD_ACCESS" in browser.find("main").text and "SubtitleError" not in browser.find("main").text


def test_every_page_of_the_demo_is_sound(browser, demo):
    addresses, problems = browser.crawl(f"{demo.address}/apps/1", f"{demo.address}/apps/2/views")
    assert len(addresses) > 25, addresses
    assert not problems, "\n".join(problems)


def lines(browser, link):
    """The rows of a CSV file that a page links to."""
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.driver.get_cookies())
    with urllib.request.urlopen(urllib.request.Request(link, headers={"Cookie": cookies})) as answer:
        return list(csv.DictReader(io.StringIO(answer.read().decode())))


def test_files_have_what_the_page_shows(browser, demo):
    browser.open(f"{demo.address}/apps/1/explore?by=version&days=90")
    links = [link.get_attribute("href") for link in browser.all(".downloads a")]
    daily, values, all_together = [lines(browser, link) for link in links if "format=csv" in link and "decimal=" not in link]
    assert set(daily[0]) == {"time:day", "version", "users"} and len({line["version"] for line in daily}) == len(values)
    assert set(all_together[0]) == {"time:day", "users"}
    figures = {line["version"]: int(line["users"]) for line in values}
    for shown in browser.all(".asked tbody tr"):
        name, figure = shown.find_element(By.CSS_SELECTOR, "th bdi").text, shown.find_element(By.TAG_NAME, "td").text
        assert figures[name] == int(figure.replace(",", ""))
    # The largest versions in their order, up to eight, and the others as one line.
    names = [key.text for key in browser.all("figure.chart .legend .key")]
    assert len(names) == min(len(values), 9) and (names[-1] == "Other") == (len(values) > 8)
    assert not browser.check()


def test_a_chart_is_saved_as_one_picture_with_its_colours_and_texts(browser, demo, tmp_path):
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})

    def saved(kind):
        """The content of the file that the first button of a kind saves."""
        browser.find(f".save button[aria-label^='Save as {kind}']").click()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for file in tmp_path.glob(f"*.{kind.lower()}"):
                content = file.read_bytes()
                file.unlink()
                return file.stem, content
            time.sleep(0.05)
        raise AssertionError(f"no {kind} was saved")

    pages = [
        ("", "Events-and-sessions-per-day", ["Events and sessions", "Sessions"]),
        ("/funnels?days=90&k1=screen&n1=Library&k2=screen&n2=Player", "Steps", ["1.", "Library", "2.", "Player"]),
        ("/paths", "Where-sessions-went", ["Where sessions went", "Library"])]
    for page, name, texts in pages:
        browser.open(f"{demo.address}/apps/1{page}")
        stem, content = saved("SVG")
        assert name in stem
        picture = ElementTree.fromstring(content)
        space = "{http://www.w3.org/2000/svg}"
        found = [node.text for node in picture.iter(f"{space}text")]
        assert set(texts) <= set(found)
        shapes = [node for kind in ("path", "rect", "circle") for node in picture.iter(space + kind)]
        # Programs that read no style sheet would draw these black.
        assert len(shapes) > 5 and all(node.get("fill") for node in shapes)
        assert not re.search(rb"var\(|class=|style=|foreignObject|url\(", content)
        stem, content = saved("PNG")
        width, height = struct.unpack(">II", content[16:24])
        assert content.startswith(b"\x89PNG") and (width, height) == (2 * int(picture.get("width")), 2 * int(picture.get("height")))

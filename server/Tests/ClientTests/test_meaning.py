"""What a reader must conclude from figures: pages, files and messages about a small set of data, each with the right value.

All of it is sent once. The server starts three times, because it evaluates alerts when it starts.
"""

import contextlib
import csv
import io
import json
import re
import sqlite3
import tempfile
import time
import urllib.request
import uuid

import pytest
import requests
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from tern import Serve
from test_alerts import Hook, wait_for
from test_extremes import create_app, line

DAY = 86_400
TODAY = int(time.time()) // DAY * DAY
# The last day on which a daily alert decides: it has ended ten minutes ago or more.
DECIDED = (int(time.time()) - 600) // DAY * DAY - DAY
PAUSES = "Pauses of 30 minutes and more are left out."
# In the order of releases.
VERSIONS = ["1.0b2", "1.0", "1.2.3-rc2", "1.2.3-rc10", "1.2.3", "1.9", "1.10", "2.0", "2.1", "2.2"]


def row(kind, name, person, at, version="1.0", country="DE", locale="de_DE", session=None, properties=None, more=None):
    """A line of the native protocol, of a person with a name, at a time in seconds."""
    install = str(uuid.uuid5(uuid.NAMESPACE_DNS, person))
    device = {"osName": "iOS", "osVersion": "18.0", "model": "iPhone16,1", "locale": locale, "country": country}
    return line(kind, name, install, device=device, properties=properties, more={
        "time": int(at * 1000), "app": {"version": version},
        "session": str(uuid.uuid5(uuid.NAMESPACE_DNS, session or f"{person} {at // DAY}"))} | (more or {}))


def date(at):
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def text(at, year=True):
    """A day as pages write it: 4 May 2026."""
    return f"{time.gmtime(at).tm_mday} {time.strftime('%b %Y' if year else '%b', time.gmtime(at))}"


def span(first, last):
    """Days as pages write them: 4 May – 2 Jun 2026."""
    return f"{text(first, time.gmtime(first).tm_year != time.gmtime(last).tm_year)} – {text(last)}"


# Monday of the week four weeks ago.
MONDAY = TODAY - (time.gmtime(TODAY).tm_wday + 28) * DAY


def versions():
    """Ten versions, of which the last two have one user each and the others two; ten users are in Germany."""
    people = [(version, f"{version} {number}") for number, some in enumerate([VERSIONS, VERSIONS[:8]]) for version in some]
    countries = ["DE"] * 10 + ["FR"] * 5 + ["US"] * 3
    return [row("event", "Play", person, TODAY - 3 * DAY + 3600, version, country, properties={"Plan": "Pro"})
            for (version, person), country in zip(people, countries, strict=True)]


def weeks():
    """16 people begin on a Monday and 8 on that Thursday, and all are back a week later; of 20 in the next week, half."""
    starts = [(0, 16), (3, 8), (7, 20)]
    return [row("event", "Play", f"week {day} {number}", MONDAY + (day + after) * DAY + 3600)
            for day, count in starts for number in range(count) for after in ([0, 7] if day < 7 or number % 2 else [0])]


def periods():
    """40 events on the six days before today and 3 today; 37 on the six days a week before these, and 6 on the day between."""
    counts = {0: 3, 1: 40, 7: 6, 8: 37}
    return [row("event", "Play", f"period {number % 5}", TODAY - back * DAY + (1 + number if back else 0.5),
                version=f"{number % 2 + 1}.0")
            for back, count in counts.items() for number in range(count)]


def sessions():
    """Two sessions of one day: ten events an hour apart, and 250 seconds of use with an event an hour later."""
    start = TODAY - 2 * DAY + 3600
    times = {"hourly": [hour * 3600 for hour in range(10)], "short": [0, 100, 250, 4000]}
    return [row("event", "Play", name, start + at, session=name) for name, all in times.items() for at in all]


def codes():
    """Two people for each language and for the United Kingdom, with an old and a new code."""
    locales = ["iw_IL", "he_IL", "in_ID", "id_ID", "ji", "yi", "mo_MD", "ro_RO", "cmn_CN", "zh_CN"]
    countries = ["UK", "GB"] + ["DE"] * 8
    return [row("event", "Play", f"code {locale}", TODAY - DAY + 3600, country=country, locale=locale)
            for locale, country in zip(locales, countries, strict=True)]


def prices():
    """1,200 different prices from 0.04 to 59.99: a hundred in each five."""
    return [row("event", "Purchase", "buyer", TODAY - DAY + number, properties={"Price": round(number * 0.05 - 0.01, 2)})
            for number in range(1, 1201)]


def new():
    """Eight events on the last four days, and none before."""
    return [row("event", "Play", f"new {back} {number}", TODAY - back * DAY + 1) for back in range(4) for number in range(2)]


def plans():
    """The number 1 and the text 1 of a property."""
    return [row("event", "Play", f"plan {number}", TODAY - DAY + 60, properties={"Plan": plan})
            for number, plan in enumerate([1, 1, "1", "Pro"])]


APPS = {"Versions": versions, "Weeks": weeks, "Periods": periods, "Sessions": sessions, "Codes": codes, "Prices": prices,
        "New": new, "Plans": plans}


class Program:
    """A server with a receiver of messages, and its apps by name."""

    def __init__(self, directory, hook):
        self.directory, self.hook, self.apps = directory, hook, {}
        self.authorization = None
        self.start()

    def start(self):
        self.server = Serve(
            self.directory, "--allow-webhooks-to", "127.0.0.1", "--portal-url", "https://tern.example.org")
        self.server.authorization = self.authorization = self.authorization or {
            "Authorization": f"Bearer {self.server.token()}"}

    def restart(self, browser, hours=0):
        """Evaluates all alerts, as if some hours had passed since the last time: days are decided on once an hour."""
        self.server.stop()
        with contextlib.closing(sqlite3.connect(self.server.data / "catalog.sqlite")) as catalog, catalog:
            for number, state in catalog.execute("SELECT id, state FROM alert").fetchall():
                earlier = re.sub(r'"asked":(\d+)', lambda asked: f'"asked":{int(asked[1]) - hours * 3_600_000}', state)
                catalog.execute("UPDATE alert SET state = ? WHERE id = ?", (earlier, number))
        self.start()
        # Sessions outlive a restart, but another port is another site.
        browser.open(self.server.login_link())

    def add(self, name, lines):
        app = self.apps[name] = create_app(self.server, name)
        self.server.send(app, lines)
        wait_for(lambda: self.count(app) == len(lines))

    def count(self, app):
        """The number of events and crashes that answers have."""
        answer = requests.post(
            f"{self.server.address}/api/v1/apps/{app['id']}/query", timeout=60, headers=self.server.authorization,
            json={"metrics": ["events", "crashes"], "date_range": "90d", "include": ["totals"]}).json()
        return sum(answer["totals"])

    def page(self, name, path=""):
        return f"{self.server.address}/apps/{self.apps[name]['id']}{path}"


@pytest.fixture(scope="module")
def program(browser):
    with tempfile.TemporaryDirectory(prefix="tern-meaning-") as directory, Hook() as hook:
        program = Program(directory, hook)
        try:
            browser.open(program.server.login_link())
            for name, lines in APPS.items():
                program.add(name, lines())
            yield program
        finally:
            program.server.stop()


def rows(browser, within="main"):
    """The cells of all rows of tables, those of closed folds too."""
    return browser.driver.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map("
        "row => [...row.querySelectorAll('th, td')].map(cell => cell.textContent.replace(/\\s+/g, ' ').trim()))", within)


def tile(browser, name):
    return next(part for part in browser.all(".tile") if part.find_element(By.TAG_NAME, "h2").text == name).text


def legend(browser):
    return [key.text for key in browser.all("figure.chart .legend .key")]


def words(browser):
    """The text of a page, that of closed folds too."""
    return browser.driver.execute_script("return document.querySelector('main').textContent.replace(/\\s+/g, ' ')")


def files(browser):
    """The rows of the CSV files that a page offers, by their titles."""
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.driver.get_cookies())
    found = {}
    for part in browser.all("p.more.downloads:has(a)"):
        link = part.find_element(By.LINK_TEXT, "CSV").get_attribute("href")
        with urllib.request.urlopen(urllib.request.Request(link, headers={"Cookie": cookies})) as answer:
            found[part.find_element(By.TAG_NAME, "span").text] = list(csv.DictReader(io.StringIO(answer.read().decode())))
    return found


def send_ahead(program):
    """An event of yesterday and one of the day after tomorrow, by App Center's protocol."""
    app = program.apps["Ahead"] = create_app(program.server, "Ahead")
    device = {"sdkName": "appcenter.ios", "sdkVersion": "5.0.4", "osName": "iOS", "osVersion": "17.0", "locale": "en_US",
              "timeZoneOffset": 0, "appVersion": "1.0", "appBuild": "1", "model": "iPhone16,1"}
    logs = [{
        "type": "event", "id": str(uuid.uuid4()), "sid": str(uuid.uuid4()), "name": "Play", "device": device,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))} for at in [TODAY - DAY, time.time() + 2 * DAY]]
    answer = requests.post(
        f"{program.server.address}/logs?api-version=1.0.0", json={"logs": logs}, timeout=60,
        headers={"App-Secret": app["appSecret"], "Install-ID": str(uuid.uuid4())})
    assert answer.status_code == 200, answer.text


def test_of_ten_versions_eight_have_a_line_in_the_order_of_releases_and_the_rest_is_one(browser, program):
    browser.open(program.page("Versions", "/explore?metric=users&by=version&days=7"))
    assert legend(browser) == [*VERSIONS[:8], "Other"]
    assert "8 of 10 values, the others as one line" in words(browser)
    assert not browser.check()


def test_files_have_what_the_page_shows(browser, program):
    browser.open(program.page("Versions", "/explore?metric=users&by=country&days=7"))
    found = files(browser)
    day = date(TODAY - 3 * DAY)
    assert found["Users per day by country"] == [
        {"time:day": day, "country": country, "users": users} for country, users in [("DE", "10"), ("FR", "5"), ("US", "3")]]
    assert {line["country"]: line["users"] for line in found["Users by country"]} == {"DE": "10", "FR": "5", "US": "3"}
    assert [line["users"] for line in found["Users per day, all together"] if line["time:day"] == day] == ["18"]
    table = {cells[0].removesuffix(" Filter"): cells[1] for cells in rows(browser, ".asked")}
    assert table == {"Germany": "10", "France": "5", "United States": "3"}
    # A list that ends at its limit says so where a reader of CSV can see it.
    answer = requests.get(
        f"{program.server.address}/api/v1/apps/{program.apps['Versions']['id']}/reports/versions", timeout=60,
        headers=program.server.authorization, params={"days": "7", "format": "csv", "limit": "2"})
    assert answer.headers["Tern-Full-Lists"] == "versions" and len(answer.text.splitlines()) == 3


def test_a_country_is_suggested_by_its_name(browser, program):
    browser.open(program.page("Versions", "/explore?days=7"))
    browser.find(".add[data-add=filter]").click()
    browser.find(".ask [name=f1]").send_keys("country")
    browser.find(".ask [name=v1]").click()
    WebDriverWait(browser.driver, 30).until(lambda _: browser.all("#values-1 option"))
    options = [option.get_attribute("value") for option in browser.all("#values-1 option")]
    assert options == ["Germany", "France", "United States"]


def test_a_cohort_of_a_part_of_a_week_is_marked_and_in_no_curve(browser, program):
    def retention(first):
        browser.open(program.page("Weeks", f"/retention?from={date(MONDAY + first * DAY)}&to={date(MONDAY + 20 * DAY)}"))
        cohorts = [cells[:3] for cells in rows(browser, ".asked")]
        curve = next(cells for cells in rows(browser, "main") if cells[0].startswith("1 week later"))
        return cohorts, curve[1]

    monday, next_monday = text(MONDAY, False), text(MONDAY + 7 * DAY, False)
    cohorts, curve = retention(0)
    assert [cells[1:] for cells in cohorts] == [["24", "100.0 %"], ["20", "50.0 %"]]
    assert curve == "77.3 %", "34 of 44 came back"
    assert not any("in part" in cells[0] for cells in cohorts)
    cohorts, curve = retention(2)
    assert cohorts[0][0].startswith(f"Week of {monday}") and cohorts[0][0].endswith(", in part") and cohorts[0][1] == "8"
    assert next_monday in cohorts[1][0] and "in part" not in cohorts[1][0] and cohorts[1][1] == "20"
    assert curve == "50.0 %", "without the part of a week"
    assert "Grey figures are those of a part of a week" in words(browser)


def test_headings_badges_and_charts_compare_one_period(browser, program):
    before = span(TODAY - 13 * DAY, TODAY - 8 * DAY)
    for page, line in [("overview?", f"Events, {before}"), ("explore?metric=events&", before)]:
        browser.open(program.page("Periods", f"/{page}days=7&compare=before"))
        if page == "overview?":
            assert browser.find(".head .against").text == f"without today, compared with {before}"
        figure = tile(browser, "Events")
        assert "+8.1 %" in figure and "40 without today, 37 before" in figure and "43" in figure.split("\n")
        assert line in legend(browser)
    # The earlier total is no part of the total.
    browser.open(program.page("Periods", "/explore?metric=events&days=7&compare=before&by=version"))
    assert legend(browser) == ["1.0", "2.0"]
    assert f"All, {before}" in words(browser)


def test_figures_per_day_count_the_days_since_the_app_existed(browser, program):
    browser.open(program.page("New", "/overview?days=30"))
    assert f"2.0 per day since {text(TODAY - 3 * DAY, False)}" in tile(browser, "Events")
    users = tile(browser, "Active users")
    assert "none before" in users and "6 without today" in users and "0 before" not in users


def test_durations_have_units_and_leave_pauses_out(browser, program):
    day = date(TODAY - 2 * DAY)
    for metric, figure in [("avg", "2 min 5 s"), ("p50", "0 s"), ("p90", "4 min 10 s")]:
        browser.open(program.page("Sessions", f"/explore?metric=session_duration_{metric}&from={day}&to={day}"))
        assert browser.find(".tile .value").text == figure
        assert PAUSES in words(browser)
    answer = requests.post(
        program.page("Sessions", "/dashboards").replace("/apps/", "/api/v1/apps/"), timeout=60,
        headers=program.server.authorization,
        json={"name": "Board", "cards": [
            {"name": "Length", "page": "explore", "query": f"metric=session_duration_avg&from={day}&to={day}"}]})
    browser.open(program.page("Sessions", f"/dashboards/{answer.json()['id']}"))
    card = browser.find(".cards .panel")
    assert f"Session durations: {PAUSES}" in card.text and "2 min 5 s" in words(browser)
    assert not browser.check()


def test_amounts_have_a_currency(browser, program):
    app = program.apps["Prices"]
    view = program.server.command(
        "views", "create", "--app", str(app["id"]), "--name", "Shop", "--time-zone", "UTC", "--currency", "EUR").split()[-1]
    answer = requests.post(f"{program.server.address}/collect", timeout=60, data={
        "v": "1", "tid": app["trackingId"], "cid": str(uuid.uuid4()), "t": "event", "ec": "Shop", "ea": "Buy", "pa": "purchase",
        "ti": "T1", "tr": "49.99", "an": "App"})
    assert answer.status_code == 200
    browser.open(program.page("Prices", f"/ecommerce?view={view}&days=7"))
    # A view counts its hits a moment after they are stored.
    WebDriverWait(browser.driver, 30).until(lambda driver: driver.refresh() or "49.99" in tile(browser, "Revenue (EUR)"))


def test_a_price_of_49_99_stands_between_45_and_50_and_rare_values_are_not_frequent(browser, program):
    browser.open(program.page("Prices", "/event?event=Purchase&days=7"))
    buckets = {cells[0]: cells[1] for cells in rows(browser, ".histogram")}
    assert buckets == {f"{five} – {five + 5}": "100" for five in range(0, 60, 5)}
    assert "No value is frequent: each is less than 0.1 % of all." in words(browser)
    assert "Most frequent" not in words(browser) and "0.0 %" not in words(browser)


def test_a_language_or_country_with_two_codes_is_one_row(browser, program):
    browser.open(program.page("Codes", "/languages?days=7"))
    assert {cells[0].removesuffix(" Filter"): cells[4] for cells in rows(browser)} == dict.fromkeys(
        ["Hebrew", "Indonesian", "Yiddish", "Romanian", "Chinese"], "2")
    browser.open(program.page("Codes", "/countries?days=7"))
    assert {cells[0].removesuffix(" Filter"): cells[4] for cells in rows(browser)} == {"Germany": "8", "United Kingdom": "2"}


def test_an_unknown_event_is_told_beside_its_field_and_on_its_card(browser, program):
    words_of_event = "This app has never had an event named “Plya”. Did you mean “Play”?"
    browser.open(program.page("Versions", "/explore?event=Plya&f1=version+is+9.9&days=7"))
    assert browser.find("#fault-n0").text == words_of_event
    assert browser.find("#fault-f1").text.startswith("This app has never had the version “9.9”.")
    assert not browser.check()
    api = program.page("Versions").replace("/apps/", "/api/v1/apps/")
    saved = {}
    for kind, body in [
            ("dashboards", {"name": "Board", "cards": [
                {"name": "Misspelt", "page": "explore", "query": "event=Plya"},
                {"name": "Right", "page": "explore", "query": "event=Play"}]}),
            ("segments", {"name": "Players", "filters": [
                ["has_done", {"event": "Plya"}, {"at_least": 1}], ["is", "version", ["9.9"]]]})]:
        answer = requests.post(f"{api}/{kind}", json=body, headers=program.server.authorization, timeout=60)
        assert answer.status_code == 201, answer.text
        saved[kind] = answer.json()["id"]
    browser.open(program.page("Versions", f"/dashboards/{saved['dashboards']}"))
    told = [[fault.text for fault in card.find_elements(By.CSS_SELECTOR, ".fault")] for card in browser.all(".cards .panel")]
    assert told == [[words_of_event], []]
    assert not browser.check()
    browser.open(program.page("Versions", f"/segments?edit={saved['segments']}"))
    assert words_of_event in rows(browser)[0][1]
    assert browser.find("#fault-n1").text == words_of_event
    assert "the version “9.9”" in browser.find("#fault-f1").text
    assert not browser.check()
    answer = requests.post(
        f"{api}/query", json={"metrics": ["users"], "filters": [["is", "event", ["Plya"]]]}, timeout=60,
        headers=program.server.authorization)
    assert answer.status_code == 400 and answer.json()["error"]["path"] == "$.filters[0][2][0]", answer.text


def test_the_number_and_the_text_of_a_property_lead_to_their_own_figures(browser, program):
    page = program.page("Plans", "/explore?metric=events&by=property:Plan&days=7")
    browser.open(page)
    links = [link.get_attribute("href") for link in browser.all(".asked th a.narrow")]
    counts = [int(cells[1]) for cells in rows(browser, ".asked")]
    assert sorted(counts) == [1, 1, 2] and len(set(links)) == 3
    for link, count in zip(links, counts, strict=True):
        browser.open(link)
        assert browser.find(".tile .value").text == str(count), link


def test_nobody_was_last_seen_in_the_future(browser, program):
    send_ahead(program)
    browser.open(program.page("Ahead", "/people?days=7"))
    WebDriverWait(browser.driver, 30).until(lambda driver: driver.refresh() or browser.all(".asked tbody tr"))
    person = rows(browser, ".asked")[0]
    browser.follow(browser.find(".asked tbody th a"))
    facts = dict(part.text.split("\n") for part in browser.all(".facts div"))
    now = time.time()
    assert person[1].split(",")[0] in (text(now), text(now - 3600)), "today, and not the day after tomorrow"
    assert facts["Last seen"].split(",")[0] == person[1].split(",")[0]
    assert facts["First seen"].split(",")[0] == person[2].split(",")[0] == text(TODAY - DAY)


def test_an_alert_on_a_share_is_quiet_at_100_percent_and_late_crashes_raise_it_once(browser, program):
    users = [f"user {number}" for number in range(5)]
    program.add("Crashes", [row("event", "Play", user, DECIDED + 3600) for user in users])
    app, to = program.apps["Crashes"], f"webhook:{program.hook.address}"
    browser.open(program.page("Crashes", "/explore?metric=crash_free_users"))
    browser.open(browser.find("a[href*='/alerts?question=']").get_attribute("href"))
    Select(browser.find("#form [name=kind]")).select_by_value("below")
    browser.find("#form details.later summary").click()
    for name, value in [("name", "Stability"), ("limit", "90"), ("users", "1"), ("to", to)]:
        browser.find(f"#form [name={name}]").send_keys(value)
    browser.follow(browser.find("#form button.primary"))
    assert "below 90 % per day" in rows(browser)[0][1]
    # This one is raised by the same data, and says that the other one was evaluated, too.
    program.server.command(
        "alerts", "add", "--app", str(app["id"]), "--name", "Control", "--to", to, "--question", "metric=events",
        "--above", "2", "--per", "day")
    program.restart(browser)
    wait_for(lambda: program.hook.requests)
    browser.open(program.page("Crashes", "/alerts"))
    states = {cells[0]: cells[3] for cells in rows(browser) if len(cells) == 5 and cells[3] in ("Raised", "Quiet")}
    assert states == {"Stability": "Quiet", "Control": "Raised"}

    crash = {"exception": {"type": "Torn", "message": "it tore", "frames": []}}
    program.server.send(app, [row("crash", "Torn", users[0], DECIDED + 7200, more=crash)])
    wait_for(lambda: program.count(app) == 6)
    program.restart(browser, hours=2)
    wait_for(lambda: len(program.hook.requests) == 2)
    message = json.loads(program.hook.requests[1][2])
    day = time.gmtime(DECIDED)
    sentence = f"Crash-free users: 80 % on {day.tm_mday} {time.strftime('%B', day)}, below the limit of 90 %."
    assert message["event"] == "alert.breached" and sentence in message["text"], message
    assert "Data that arrived late has changed this figure." in message["text"]
    assert message["facts"]["crash1"] == "Torn, 1 user", message
    browser.open(program.page("Crashes", "/alerts"))
    states = {cells[0]: cells[3] for cells in rows(browser) if len(cells) == 5 and cells[3] in ("Raised", "Quiet")}
    assert states == {"Stability": "Raised", "Control": "Raised"}
    assert sentence in words(browser)
    # The message leads to its day, and not to a month.
    browser.open(message["link"].replace("https://tern.example.org", program.server.address))
    assert browser.find(".tile .value").text == "80.0 %"
    assert text(DECIDED) in tile(browser, "Crash-free users").splitlines()

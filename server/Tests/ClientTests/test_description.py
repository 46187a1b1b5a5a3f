"""The description of the API itself: programs can read it, and what the server answers can be asked."""

import tempfile

import pytest
import requests
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tern import Serve
from test_administration import API
from test_extremes import line

INSTALL = "7d444840-9dc0-11d1-b245-5ffdce74fad2"


@pytest.fixture(scope="module")
def server():
    with tempfile.TemporaryDirectory(prefix="tern-description-") as directory:
        server = Serve(directory)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="module")
def document(server):
    return requests.get(f"{server.address}/api/openapi.json", timeout=60).json()


@pytest.fixture(scope="module")
def api(server):
    return API(server, server.command("tokens", "create", "setup", "--scope", "administer").strip())


@pytest.fixture(scope="module")
def app(server, api):
    app = api.send("POST", "/apps", 201, {"name": "Player", "timeZone": "Europe/Berlin"}).json()
    server.send(app, [line("event", f"Event {number}", INSTALL) for number in range(3)])
    return app


def schemas_with(value, member, path=""):
    """The schemas that have a member such as `default`, with their places."""
    if isinstance(value, dict):
        # A property of that name has a schema as its value.
        if member in value and not path.endswith("/properties"):
            yield path, value
        for name, inner in value.items():
            yield from schemas_with(inner, member, f"{path}/{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from schemas_with(inner, member, f"{path}/{index}")


def faults(value, schema, document):
    """What is wrong with a value according to a schema of the document."""
    whole = schema | {"components": document["components"]}
    validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def component(name):
    return {"$ref": f"#/components/schemas/{name}"}


def test_the_document_is_valid(document):
    validate(document)
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("member", ["default", "example"])
def test_each_default_and_example_is_what_its_schema_allows(document, member):
    found = list(schemas_with(document, member))
    assert len(found) >= 10
    for path, schema in found:
        assert faults(schema[member], schema, document) == [], path


QUESTIONS = {
    "query": [
        {"metrics": ["events"]},
        {"metrics": ["users"], "dimensions": ["version"], "date_range": "3660d", "order_by": [["users", "asc"]],
         "filters": [["or", [["is", "country", ["DE"]], ["not", ["set", "property:plan"]]]]],
         "pagination": {"limit": 7}, "by": "user"},
    ],
    "funnel": [
        {"steps": [{"event": "Event 1"}, {"event": "Event 2"}]},
        {"steps": [{"event": "Event 1"}, {"any": True}], "window": "3660d",
         "exclude": [{"screen": "Help", "from": 1, "to": 2}], "breakdown": "country", "date_range": "1000d"},
        {"steps": [{"event": "Event 1"}, {"kind": "crash"}], "window": "90m", "order": "unordered"},
    ],
    "retention": [{}, {"start": {"event": "Event 1"}, "interval": "month", "intervals": 3, "date_range": "today"}],
    "paths": [{}, {"nodes": "events", "depth": 2, "date_range": ["2026-01-01", "2026-01-31"]}],
    "lifecycle": [{}, {"interval": "week", "date_range": "month"}],
    "stickiness": [{}, {"interval": "week", "filters": [["has_done", {"event": "Event 1"}, {"days": 3}]]}],
    "persons": [{}, {"limit": 5, "date_range": "12mo"}],
    "releases": [
        {},
        {"conversions": [{"funnel": {"steps": [{"event": "Event 1"}, {"any": True}], "window": "2h"}},
                         {"per_user": {"event": "Event 1"}}], "days": 7, "limit": 3, "by": "user"},
    ],
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_and_its_form_in_the_answer_fit_the_schema_and_have_one_answer(document, api, app, kind):
    question = component(f"{kind.capitalize()}Question")
    for sent in QUESTIONS[kind]:
        assert faults(sent, question, document) == [], sent
        first = api.send("POST", f"/apps/{app['id']}/{kind}?unknown=allow", 200, sent).json()
        assert faults(first, component(f"{kind.capitalize()}Answer"), document) == []
        assert faults(first["query"], question, document) == [], first["query"]
        again = api.send("POST", f"/apps/{app['id']}/{kind}?unknown=allow", 200, first["query"]).json()
        assert (again["query"], again["results"]) == (first["query"], first["results"])


def test_the_longest_window_and_range_fit_the_schema(document):
    for text in "3660d", "87840h", "5270400m":
        window = document["components"]["schemas"]["FunnelQuestion"]["properties"]["window"]
        assert faults(text, window, document) == []
    assert faults("3660d", component("DateRange"), document) == []


THINGS = [
    ("/apps", "/apps/{app}", "patch", {"name": "Second", "timeZone": "UTC"}),
    ("/apps/{app}/views", "/apps/{app}/views/{view}", "patch", {"name": "Web", "timeZone": "UTC", "filters": ["av=2"]}),
    ("/apps/{app}/segments", "/apps/{app}/segments/{segment}", "put",
     {"name": "Germany", "filters": [["and", [["is", "country", ["DE"]], ["not", ["set", "version"]]]]]}),
    ("/apps/{app}/dashboards", "/apps/{app}/dashboards/{dashboard}", "put", {"name": "Board", "cards": []}),
    ("/apps/{app}/alerts", "/apps/{app}/alerts/{alert}", "put",
     {"name": "Errors", "condition": {"kind": "new_error"}, "destinations": ["mail:a@example.org"]}),
    ("/alerts", "/alerts/{alert}", "put",
     {"name": "Server", "condition": {"kind": "server"}, "destinations": ["mail:a@example.org"]}),
    ("/apps/{app}/mail-reports", "/apps/{app}/mail-reports/{report}", "put",
     {"every": "week", "hour": 7, "recipients": ["a@example.org"]}),
]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing[0])
def test_what_was_read_fits_the_schema_of_the_request_that_changes_it(document, api, app, thing):
    collection, single, method, sent = thing
    paths = document["paths"]

    def body(path, method):
        return paths[f"/api/v1{path}"][method]["requestBody"]["content"]["application/json"]["schema"]

    assert faults(sent, body(collection, "post"), document) == []
    created = api.send("POST", collection.replace("{app}", str(app["id"])), 201, sent).json()
    names = {"app": app["id"]}
    name = single.rsplit("{", 1)[1].rstrip("}")
    names[name] = created["id"]
    place = single.format(**names)
    read = api.get(place)
    assert faults(read, body(single, method), document) == [], read
    api.send(method.upper(), place, 200, read)

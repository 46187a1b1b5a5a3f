"""Uses the generated Python client against a server. The arguments are its address and a token."""

import datetime
import sys

from tern_client import AuthenticatedClient
from tern_client.api.alerts import alert, change_alert, create_alert
from tern_client.api.apps import change_limits, create_app, limits, list_apps
from tern_client.api.questions import funnel, query
from tern_client.models import (
    AlertCondition, AlertConditionKind, AlertInput, AppInput, FunnelQuestion, FunnelUnknown, LimitChange, MetricType0,
    QueryQuestion, SelectorType0)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], raise_on_unexpected_status=True)
app = create_app.sync(client=client, body=AppInput(name="Python", time_zone="Europe/Berlin"))
assert [listed.name for listed in list_apps.sync(client=client).apps if listed.id == app.id] == ["Python"]

# More than 32 bits.
change_limits.sync(app.id, client=client, body=LimitChange(bytes_per_day=10_000_000_000))
assert limits.sync(app.id, client=client).limits.bytes_per_day == 10_000_000_000

wanted = AlertInput(
    name="Errors", condition=AlertCondition(kind=AlertConditionKind.NEW_ERROR), destinations=["mail:a@example.org"])
created = create_alert.sync(app.id, client=client, body=wanted)
assert alert.sync(app.id, created.id, client=client) == created
wanted.name = "New errors"
assert change_alert.sync(app.id, created.id, client=client, body=wanted).name == "New errors"

days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 31)]
answer = query.sync(app.id, client=client, body=QueryQuestion(metrics=[MetricType0.EVENTS], date_range=days))
assert answer.results == [] and answer.query["date_range"] == ["2026-01-01", "2026-01-31"], answer
steps = [SelectorType0(event="Search"), SelectorType0(event="Purchase")]
answer = funnel.sync(
    app.id, client=client, unknown=FunnelUnknown.ALLOW, body=FunnelQuestion(steps=steps, window="3660d"))
assert [step.persons for step in answer.results[0].steps] == [0, 0] and answer.query["window"] == "5270400m", answer

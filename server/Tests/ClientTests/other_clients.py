"""Sends events with a client of another system, as an app would: `other_clients.py CLIENT ADDRESS KEY COUNT PAUSE`.

The client is the package itself, told nothing but the address and the key. Prints the numbers of the events whose calls raised, which
the app knows of. Runs with the packages of Scripts/other-clients-requirements.txt or older-clients-requirements.txt.
"""

import json
import logging
import sys
import time

USER = "user-7"


def properties(number):
    return {"n": number, "label": f"label-{number} ä\"&=,", "price": number * 0.25, "even": number % 2 == 0}


class Segment:
    """segment-analytics-python, and rudder-sdk-python, which has grown out of it."""

    def __init__(self, address, key):
        from segment.analytics.client import Client
        self.client = Client(key, host=address)

    def send(self, number):
        self.client.track(USER, "Play", properties(number))

    def end(self):
        self.client.flush()


class RudderStack(Segment):
    def __init__(self, address, key):
        from rudderstack.analytics.client import Client
        self.client = Client(key, host=address)


class PostHog:
    """posthog 7."""

    options = {}

    def __init__(self, address, key):
        from posthog import Posthog
        self.client = Posthog(key, host=address, **self.options)

    def send(self, number):
        self.client.capture("Play", distinct_id=USER, properties=properties(number))

    def end(self):
        # Waits for its threads, where `shutdown` gives them a second.
        self.client.flush()
        self.client.join()


class PostHogV1(PostHog):
    """Its newer way of sending."""

    options = {"capture_mode": "v1"}


class OldPostHog(PostHog):
    """posthog 3."""

    def send(self, number):
        self.client.capture(USER, "Play", properties(number))


class Mixpanel:
    """Sends each event in the app's thread, and raises. The app sends it again with the same identifier and time."""

    def __init__(self, address, key):
        from mixpanel import Consumer, Mixpanel as Client
        self.client = Client(key, Consumer(events_url=f"{address}/track"))

    def send(self, number):
        known = {"$insert_id": f"insert-{number}", "time": int(time.time())}
        for last in [False] * 40 + [True]:
            try:
                self.client.track(USER, "Play", properties(number) | known)
                return
            except Exception:
                if last:
                    raise
                time.sleep(0.5)

    def end(self):
        pass


class Amplitude:
    def __init__(self, address, key):
        from amplitude import Amplitude as Client, BaseEvent
        self.event = BaseEvent
        self.client = Client(key)
        self.client.configuration.server_url = f"{address}/2/httpapi"
        self.client.configuration.flush_interval_millis = 2_000

    def send(self, number):
        self.client.track(self.event(
            event_type="Play", user_id=USER, device_id="device-7", event_properties=properties(number)))

    def end(self):
        # What failed comes again after an interval, and `shutdown` would drop it.
        for _ in range(8):
            for future in self.client.flush():
                if future:
                    future.result(60)
            time.sleep(2)
        self.client.shutdown()


class Snowplow:
    def __init__(self, address, key):
        from snowplow_tracker import Emitter, StructuredEvent, Tracker
        self.event = StructuredEvent
        protocol, host, port = address.replace("//", "").split(":")
        self.emitter = Emitter(host, protocol=protocol, port=int(port), method="post", request_timeout=10)
        self.tracker = Tracker("tests", self.emitter, app_id=key)

    def send(self, number):
        values = properties(number)
        self.tracker.track(self.event("Video", "Play", label=values["label"], value=number))

    def end(self):
        # It tries again when it has waited, in its own threads, as long as the program lives.
        deadline = time.monotonic() + 120
        while self.emitter.event_store.size() and time.monotonic() < deadline:
            self.tracker.flush()
            time.sleep(1)


class Sentry:
    def __init__(self, address, key):
        import sentry_sdk
        self.sdk = sentry_sdk
        sentry_sdk.init(
            dsn=f"{address.replace('//', f'//{key}@')}/7", release="shop@1.2.0+44", shutdown_timeout=10,
            default_integrations=False)

    def send(self, number):
        with self.sdk.new_scope() as scope:
            scope.set_user({"id": USER})
            for name, value in properties(number).items():
                scope.set_extra(name, value)
            try:
                raise ValueError(f"number {number}")
            except ValueError as error:
                self.sdk.capture_exception(error)

    def end(self):
        self.sdk.flush(20)


class OpenTelemetry:
    def __init__(self, address, key):
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
        exporter = OTLPLogExporter(endpoint=f"{address}/v1/logs", headers={"Authorization": f"Bearer {key}"})
        self.provider = LoggerProvider()
        self.provider.add_log_record_processor(
            BatchLogRecordProcessor(exporter, schedule_delay_millis=1_000, max_export_batch_size=50))
        self.logger = self.provider.get_logger("tests")

    def send(self, number):
        self.logger.emit(
            timestamp=time.time_ns(), event_name="Play", attributes=properties(number) | {"enduser.id": USER})

    def end(self):
        self.provider.force_flush(60_000)
        self.provider.shutdown()


class GoogleAnalytics:
    def __init__(self, address, key):
        from ga4mp import GtagMP
        self.client = GtagMP("secret", key, "1234567890.1234567890")
        self.client._base_domain = f"{address}/mp/collect"
        self.client.store.set_user_property("plan", "pro")

    def send(self, number):
        event = self.client.create_new_event("Play")
        for name, value in properties(number).items():
            event.set_event_param(name, value)
        self.client.send([event])

    def end(self):
        pass


class Umami:
    def __init__(self, address, key):
        import umami
        self.client = umami
        umami.set_url_base(address)
        umami.set_website_id(key)
        umami.set_hostname("shop.example")

    def send(self, number):
        self.client.new_event("Play", custom_data=properties(number), distinct_id=USER)

    def end(self):
        pass


class Plausible:
    def __init__(self, address, key):
        from plausible_events import PlausibleEvents
        # It asks another site for its own public address.
        PlausibleEvents._get_ip = lambda self: "192.0.2.7"
        self.client = PlausibleEvents(key, api=f"{address}/api/event", timeout=1)
        self.client.worker.daemon = True

    def send(self, number):
        self.client.event("Play", properties(number))

    def end(self):
        # It sends one at a time, and waits after each failure: as long as some leave the queue.
        while left := len(self.client.queue):
            time.sleep(10)
            if len(self.client.queue) == left:
                break
        # The last one has left the queue, but may not have arrived.
        time.sleep(3)


class Aptabase:
    """Its events are sent in an event loop, of which the app has one."""

    def __init__(self, address, key):
        import asyncio
        from aptabase import Aptabase as Client
        self.loop = asyncio.new_event_loop()
        self.client = Client(key, base_url=f"{address}/", flush_interval=1)
        self.loop.run_until_complete(self.client.start())

    def send(self, number):
        self.loop.run_until_complete(self.client.track("Play", properties(number)))

    def end(self):
        import asyncio
        # What is being sent is in no queue, and comes back to it after a failure.
        deadline, empty = time.monotonic() + 120, 0
        while empty < 20 and time.monotonic() < deadline:
            self.loop.run_until_complete(asyncio.sleep(0.5))
            empty = 0 if self.client._event_queue else empty + 1
        self.loop.run_until_complete(self.client.stop())


class Matomo:
    def __init__(self, address, key):
        from matomopy import MatomoTracker
        self.client = MatomoTracker(address, key)
        self.client.set_user_id(USER)

    def send(self, number):
        self.client.track_event("Video", "Play", name=properties(number)["label"], value=number)

    def end(self):
        pass


CLIENTS = {
    "segment": Segment, "rudderstack": RudderStack, "posthog": PostHog, "posthog-v1": PostHogV1, "posthog-3": OldPostHog,
    "mixpanel": Mixpanel, "amplitude": Amplitude, "snowplow": Snowplow, "sentry": Sentry, "opentelemetry": OpenTelemetry,
    "ga4": GoogleAnalytics, "umami": Umami, "plausible": Plausible, "aptabase": Aptabase, "matomo": Matomo,
}


def main():
    name, address, key, count, pause = sys.argv[1:6]
    logging.basicConfig(level=logging.CRITICAL)
    client, raised = CLIENTS[name](address, key), []
    for number in range(int(count)):
        try:
            client.send(number)
        except Exception as error:
            raised.append(number)
            print(f"{number}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        time.sleep(float(pause))
    client.end()
    print(json.dumps(raised))


if __name__ == "__main__":
    main()

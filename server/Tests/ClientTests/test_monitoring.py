"""The metrics of a running server, and the sample alerts of docs/prometheus-rules.yml, by Prometheus's own program."""

import pathlib
import re
import subprocess
import time

import pytest
import requests

from tern import ROOT, Serve


def promtool(*arguments, **options):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    # What it finds unusual doesn't change the exit code.
    assert not done.stderr.strip(), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("monitoring")
    begun = time.time()
    server = Serve(directory, "--public-metrics", "--backup-to", str(directory / "backups"))
    server.begun = begun
    yield server
    server.stop()


def metrics(server):
    answer = requests.get(f"{server.address}/metrics", timeout=60)
    answer.raise_for_status()
    return answer.text


def sample(text, name):
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found, f"{name} is missing in\n{text}"
    return float(found.group(1))


def test_prometheus_can_read_the_metrics(server):
    promtool("check", "metrics", input=metrics(server))


def test_metrics_tell_the_start_of_the_process_and_its_limit(server):
    text = metrics(server)
    # The system notes the time of its own start in seconds.
    assert server.begun - 2 <= sample(text, "process_start_time_seconds") <= time.time() + 2
    assert sample(text, "process_open_fds") < sample(text, "process_max_fds")


def test_metrics_tell_the_time_of_the_last_backup(server):
    deadline = time.monotonic() + 60
    while sample(metrics(server), "tern_backup_timestamp_seconds") == 0 and time.monotonic() < deadline:
        time.sleep(0.2)
    text = metrics(server)
    assert abs(sample(text, "tern_backup_timestamp_seconds") - time.time()) < 120
    assert sample(text, "tern_backup_interval_seconds") == 86_400
    assert sample(text, "tern_backup_failed") == 0


def test_metrics_tell_which_messages_wait(server):
    text = metrics(server)
    assert sample(text, 'tern_messages_waiting{destination="mail"}') == 0
    assert sample(text, 'tern_message_attempts_total{destination="webhook",outcome="given_up"}') == 0


def test_the_sample_alerts_fire_when_they_should():
    promtool("check", "rules", str(ROOT / "docs/prometheus-rules.yml"))
    promtool("test", "rules", str(pathlib.Path(__file__).with_name("prometheus-rules-test.yml")))

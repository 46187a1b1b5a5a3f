# `Scripts/clickhouse outage`: kills nodes of a cluster of its own, and the server, for OUTAGE_SECONDS (240), then compares every row;
# and waits, ten minutes, until a server removes rows beyond their keeping.
# SEED=N repeats a run.

trial=$(mktemp -d)
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + 600)) TERN_CLICKHOUSE_FOLDER="$trial/cluster"
trap '"$root/Scripts/clickhouse" down "$TERN_CLICKHOUSE_FOLDER" 2>/dev/null || true; rm -rf "$trial"' EXIT
build "$root/server" --product tern
lines=$("$root/Scripts/clickhouse" up "$TERN_CLICKHOUSE_FOLDER")
eval "$lines"
run_python_tests "$root/server/Tests/ClientTests/test_clickhouse.py" -k "killed or keeping" -s

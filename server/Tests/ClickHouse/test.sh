# `Scripts/clickhouse test` and its parts: the tests of the targets ClickHouse and Shipping, and of the program, with a cluster of their
# own.

trial=$(mktemp -d)
folder="$trial/cluster"
# The parts may run at the same time.
offset=200
[ "$command" != test-program ] || offset=400
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + offset))
trap '"$root/Scripts/clickhouse" down "$folder" 2>/dev/null || true; rm -rf "$trial"' EXIT
# Before the servers, so that they don't wait for it.
if [ "$command" = test-program ]; then build "$root/server" --product tern; else build "$root/server" --build-tests; fi
lines=$("$root/Scripts/clickhouse" up "$folder")
eval "$lines"
[ "$command" = test-program ] || run_tests "$root/server" --skip-build --filter 'ClickHouseTests|ShippingTests'
[ "$command" != test-targets ] || exit 0
say "killing servers and backfills while 60,000 events are shipped through faulty connections (SEED=N repeats a run)"
run_python_tests "$root/server/Tests/ClientTests/test_clickhouse.py" \
  "$root/server/Tests/ClientTests/test_lost_home.py" "$root/server/Tests/ClientTests/test_profile.py" \
  "$root/server/Tests/ClientTests/test_cluster_queries.py" \
  "$root/server/Tests/ClientTests/test_retired_rows.py"

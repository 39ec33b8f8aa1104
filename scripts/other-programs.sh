#!/bin/sh
# Plays other people's programs that are too large for every run of the tests to the real server: Node-RED, from npm, and Telegraf,
# built by Go with the plugins that are needed, both pinned, into target/interop/programs (200 MB, minutes the first time; without the
# network later).
set -eu

NODE_RED=4.1.15
TELEGRAF=1.34.4

cd "$(dirname "$0")/.."
scripts/install-test-clients.sh
dir=target/interop/programs
if [ "$(cat "$dir/installed" 2>/dev/null)" != "node-red $NODE_RED" ]; then
    rm -rf "$dir"
    mkdir -p "$dir"
    echo '{"private": true}' >"$dir/package.json"
    npm install --prefix "$dir" --silent --no-audit --no-fund --ignore-scripts --save-exact "node-red@$NODE_RED"
    echo "node-red $NODE_RED" >"$dir/installed"
fi
if [ "$(cat "$dir/telegraf-installed" 2>/dev/null)" != "$TELEGRAF" ]; then
    if ! command -v go >/dev/null; then
        echo "other-programs: go is not installed; it builds Telegraf" >&2
        exit 1
    fi
    GOBIN="$PWD/$dir" GOFLAGS=-p=1 CGO_ENABLED=0 go install \
        -tags custom,inputs.tail,outputs.influxdb_v2,parsers.influx,serializers.influx "github.com/influxdata/telegraf/cmd/telegraf@v$TELEGRAF"
    echo "$TELEGRAF" >"$dir/telegraf-installed"
fi
exec cargo test --test system -- --ignored of_node_red telegraf

#!/bin/sh
# Plays other people's programs that are too large for every run of the tests to the real server: Node-RED, from npm, and Telegraf,
# built by Go with the plugins that are needed, into target/interop/programs, and Home Assistant's core, from PyPI with the versions that
# it names itself, into target/home-assistant; all pinned (650 MB, minutes the first time; without the network later).
set -eu

NODE_RED=4.1.15
TELEGRAF=1.34.4
# The last for Python 3.11.
HOME_ASSISTANT=2024.3.3

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
cargo test --test system -- --ignored of_node_red telegraf

home=target/home-assistant
if [ "$(cat "$home/installed" 2>/dev/null)" != "$HOME_ASSISTANT" ]; then
    if ! command -v python3.11 >/dev/null; then
        echo "other-programs: python3.11 is not installed; Home Assistant $HOME_ASSISTANT runs on it" >&2
        exit 1
    fi
    rm -rf "$home"
    python3.11 -m venv "$home"
    ./scripts/again.sh "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps "homeassistant==$HOME_ASSISTANT"
    # These two have no wheels.
    ./scripts/again.sh "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: --no-binary=paho-mqtt,PyRIC \
        --constraint "$home/lib/python3.11/site-packages/homeassistant/package_constraints.txt" "homeassistant==$HOME_ASSISTANT" \
        paho-mqtt janus aiohttp_cors aiohttp-fast-url-dispatcher aiohttp-zlib-ng
    echo "$HOME_ASSISTANT" >"$home/installed"
fi
HARIT_BIN="${HARIT_BIN:-${CARGO_TARGET_DIR:-target}/debug/harit}" exec "$home/bin/python" scripts/home-assistant.py

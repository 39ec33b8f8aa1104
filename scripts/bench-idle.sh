#!/usr/bin/env bash
# Many idle controllers, some of them reconnecting: harit's endpoint, then Mosquitto with a harit behind it, one after the
# other, by the same command.
#
#   scripts/bench-idle.sh                  50,000 controllers, 500 of them a second reconnect, for 60 s
#   scripts/bench-idle.sh 10000 200 30
#
# Each side holds a file for each connection: the hard limit of open files (ulimit -Hn) has to be 612 more than the
# controllers. Takes Mosquitto from the distribution (Debian: mosquitto); HARIT_BIN names a binary that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

load=(--connections 100 --rate 1000 --idle "${1:-50000}" --reconnects "${2:-500}" --seconds "${3:-60}")
bin=${HARIT_BIN:-target/release/harit}
mqtt=18830
http=127.0.0.1:18080
PATH=$PATH:/usr/sbin
command -v mosquitto >/dev/null || { echo "there is no mosquitto (apt-get install mosquitto)" >&2; exit 1; }
ulimit -n "$(ulimit -Hn)"

# On this disk, as the temporary directory may lie in memory.
mkdir -p target
dir=$(mktemp -d target/bench-idle.XXXXXX)
pids=()
stop() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap stop EXIT

echo "# harit"
"$bin" bench --self --dir "$dir" "${load[@]}"

# What it does for its clients and no more: no passwords, no permissions, nothing on disk.
printf '%s\n' "listener $mqtt 127.0.0.1" "max_connections -1" "allow_anonymous true" "persistence false" \
    "set_tcp_nodelay true" "log_type error" >"$dir/mosquitto.conf"
mosquitto -c "$dir/mosquitto.conf" &
broker=$!
pids=("$broker")
"$bin" bench --seed "$dir/data" "${load[@]}"
HARIT_MQTT_MODE=broker HARIT_MQTT_BROKER_PORT=$mqtt HARIT_WEATHER_URL='' HARIT_LOG_FORMAT=json \
    "$bin" serve --data-dir "$dir/data" --http "$http" >/dev/null 2>"$dir/server.log" &
server=$!
pids=("$server" "$broker")
until grep -q 'connected and subscribed' "$dir/server.log" && grep -q '"message":"ready"' "$dir/server.log"; do
    kill -0 "$server" 2>/dev/null || { cat "$dir/server.log" >&2; exit 1; }
    sleep 0.1
done
echo "# $(mosquitto -h | head -1), harit behind it"
"$bin" bench --mqtt "127.0.0.1:$mqtt" --http "$http" --pid "$broker" "${load[@]}"

#!/bin/sh
# Installs the clients that the interop tests drive: paho, InfluxDB's and Theengs' decoder (Python) and mqtt.js (Node), pinned, into
# target/interop. Does nothing when they are there, so that tests run again without a network. mosquitto_pub, mosquitto_sub
# and mosquitto come from the distribution (Debian: mosquitto, mosquitto-clients).
set -eu

PAHO=2.2.0
MQTT_JS=5.16.0
INFLUXDB=1.50.0
THEENGS=2.5.0

cd "$(dirname "$0")/.."
dir=target/interop
want="paho-mqtt $PAHO, mqtt.js $MQTT_JS, influxdb-client $INFLUXDB, theengsdecoder $THEENGS"
if [ -f "$dir/installed" ] && [ "$(cat "$dir/installed")" = "$want" ]; then
    exit 0
fi

for tool in python3 npm mosquitto mosquitto_pub mosquitto_sub; do
    if ! command -v "$tool" >/dev/null && [ ! -x "/usr/sbin/$tool" ]; then
        echo "install-test-clients: $tool is not installed" >&2
        exit 1
    fi
done

rm -rf "$dir"
mkdir -p "$dir"
python3 -m venv "$dir/venv"
./scripts/again.sh "$dir/venv/bin/pip" install --quiet --disable-pip-version-check "paho-mqtt==$PAHO" "influxdb-client==$INFLUXDB" \
    "theengsdecoder==$THEENGS"
echo '{"private": true}' >"$dir/package.json"
./scripts/again.sh npm install --prefix "$dir" --silent --no-audit --no-fund --ignore-scripts --save-exact "mqtt@$MQTT_JS"
echo "$want" >"$dir/installed"

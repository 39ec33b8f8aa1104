#!/bin/sh
# Plays other people's programs that are too large for every run of the tests to the real server: Node-RED, pinned, from npm, into
# target/interop/programs (120 MB, minutes the first time; without the network later).
set -eu

NODE_RED=4.1.15

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
exec cargo test --test system programs -- --ignored

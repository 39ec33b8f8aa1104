#!/bin/sh
# Runs the tests of the journal on NATS JetStream against a real server, built by Go into target/tools.
# Each test starts its own on a free port of this machine. Does not install what is there, so that it runs again without a network.
# HARIT_NATS_SERVER names another server; HARIT_SEED repeats the instants at which one is killed.
set -eu
cd "$(dirname "$0")/.."
VERSION=2.14.9
tools=target/tools

if [ -z "${HARIT_NATS_SERVER:-}" ] && [ "$(cat "$tools/nats-server.version" 2>/dev/null)" != "$VERSION" ]; then
    command -v go >/dev/null 2>&1 || { echo "please install Go 1.26 or later first (https://go.dev/dl/)" >&2; exit 1; }
    GOBIN=$PWD/$tools ./scripts/again.sh go install "github.com/nats-io/nats-server/v2@v$VERSION"
    echo "$VERSION" >"$tools/nats-server.version"
fi
"${CARGO:-cargo}" test --locked -p harit-cluster --test nats -- --ignored --skip cost --nocapture

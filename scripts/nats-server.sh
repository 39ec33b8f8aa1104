#!/bin/sh
# Builds nats-server with Go into target/tools, unless it is there: so it works again without a network. HARIT_NATS_SERVER names another one.
set -eu
cd "$(dirname "$0")/.."
VERSION=2.14.9
tools=target/tools

[ -z "${HARIT_NATS_SERVER:-}" ] || exit 0
[ "$(cat "$tools/nats-server.version" 2>/dev/null)" != "$VERSION" ] || exit 0
command -v go >/dev/null 2>&1 || { echo "please install Go 1.26 or later first (https://go.dev/dl/)" >&2; exit 1; }
GOBIN=$PWD/$tools ./scripts/again.sh go install "github.com/nats-io/nats-server/v2@v$VERSION"
echo "$VERSION" >"$tools/nats-server.version"

#!/bin/sh
# Runs the tests of servers of NATS that lose power, on file systems in memory that forget what was not synced. They are mounted by
# /dev/fuse, which takes root. The server of NATS is that of `make test-cluster`.
# HARIT_CUTS is how often, of each kind; HARIT_SEED repeats what was cut.
set -eu
cd "$(dirname "$0")/.."
[ -w /dev/fuse ] && [ "$(id -u)" = 0 ] || { echo "this needs root, and /dev/fuse" >&2; exit 1; }
./scripts/nats-server.sh
"${CARGO:-cargo}" test --locked -p harit-cluster --test nats power:: -- --include-ignored --nocapture --test-threads 1

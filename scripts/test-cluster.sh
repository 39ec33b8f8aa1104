#!/bin/sh
# Runs the tests of the journal on NATS JetStream against a real server, built by Go into target/tools, and those of two servers that
# have such journals and a PostgreSQL (Debian's) in turn.
# Each test starts its own on a free port of this machine. Does not install what is there, so that it runs again without a network.
# HARIT_NATS_SERVER names another server; HARIT_SEED repeats the instants at which one is killed; HARIT_KILLS is how often each of two is.
set -eu
cd "$(dirname "$0")/.."

if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "please install this Debian package first: postgresql" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    ./scripts/again.sh apt-get update -qq
    ./scripts/again.sh apt-get install -y -qq --no-install-recommends postgresql >/dev/null
fi

./scripts/nats-server.sh
# Of the whole workspace, as `make test` builds it: so nothing is built again.
whole="--workspace --exclude harit-sim --locked"
# shellcheck disable=SC2086 # a list of options
"${CARGO:-cargo}" test $whole --test nats -- --ignored --skip cost --skip power:: --nocapture
# shellcheck disable=SC2086 # a list of options
"${CARGO:-cargo}" test $whole --test system -- --ignored --skip _cost --skip standby_update --nocapture standby cells farm_moves lost_end

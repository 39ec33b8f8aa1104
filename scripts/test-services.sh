#!/bin/sh
# Runs the tests against servers of others, installed here: PostgreSQL (Debian's), QuestDB (a Java program from Maven's repository, into
# target/questdb), a mail server (aiosmtpd from PyPI, into target/smtp) and an S3 server (versitygw, built by Go, into target/versitygw);
# against a kernel that lets disks fail (Debian's strace), and against a clock that is set (Debian's faketime).
# Each test starts its own on a free port of this machine.
# Does not install what is there, so that it runs again without a network.
set -eu
cd "$(dirname "$0")/.."
VERSION=9.3.2
dir=target/questdb
MAIL_VERSION=1.4.6
mail=target/smtp
BUCKETS_VERSION=1.8.0
buckets=target/versitygw

missing=""
command -v java >/dev/null 2>&1 || missing="$missing default-jre-headless"
[ "$(cat "$dir/version" 2>/dev/null)" = "$VERSION" ] || command -v mvn >/dev/null 2>&1 || missing="$missing maven"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v faketime >/dev/null 2>&1 || missing="$missing faketime"
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "please install these Debian packages first:$missing" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    ./scripts/again.sh apt-get update -qq
    # shellcheck disable=SC2086 # a list of package names
    ./scripts/again.sh apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
if [ "$(cat "$dir/version" 2>/dev/null)" != "$VERSION" ]; then
    rm -rf "$dir"
    mkdir -p "$dir"
    ./scripts/again.sh mvn --quiet --batch-mode dependency:copy -Dartifact="org.questdb:questdb:$VERSION" -DoutputDirectory="$PWD/$dir"
    mv "$dir/questdb-$VERSION.jar" "$dir/questdb.jar"
    echo "$VERSION" >"$dir/version"
fi
if [ "$(cat "$mail/version" 2>/dev/null)" != "$MAIL_VERSION" ]; then
    python3 -m venv "$mail"
    ./scripts/again.sh "$mail/bin/pip" install --quiet --disable-pip-version-check "aiosmtpd==$MAIL_VERSION"
    echo "$MAIL_VERSION" >"$mail/version"
fi
if [ "$(cat "$buckets/version" 2>/dev/null)" != "$BUCKETS_VERSION" ]; then
    command -v go >/dev/null 2>&1 || { echo "please install Go 1.25 or later first (https://go.dev/dl/)" >&2; exit 1; }
    GOBIN=$PWD/$buckets ./scripts/again.sh go install "github.com/versity/versitygw/cmd/versitygw@v$BUCKETS_VERSION"
    echo "$BUCKETS_VERSION" >"$buckets/version"
fi
# Of the whole workspace, as `make test` builds it: so nothing is built again.
whole="--workspace --exclude harit-sim --locked"
# shellcheck disable=SC2086 # a list of options
"${CARGO:-cargo}" test $whole --lib postgres -- --ignored --nocapture
# All tests of the API once more, its records in a PostgreSQL; without those that need clients of MQTT, which have nothing to do with it.
# shellcheck disable=SC2086 # a list of options
"${CARGO:-cargo}" build $whole --example with_postgres
# shellcheck disable=SC2086 # a list of options
HARIT_SKIP_INTEROP=1 "${CARGO_TARGET_DIR:-target}/debug/examples/with_postgres" "${CARGO:-cargo}" test $whole --test api
parts="postgres questdb smtp buckets clock"
# Some containers let nobody trace.
if strace -f -o /dev/null -e inject=fsync:error=EIO true 2>/dev/null; then
    parts="$parts faults"
else
    echo "strace may trace nothing here: what failing disks do is not tried" >&2
fi
for part in $parts; do
    # shellcheck disable=SC2086 # a list of options
    "${CARGO:-cargo}" test $whole --test system "$part" -- --ignored --nocapture
done

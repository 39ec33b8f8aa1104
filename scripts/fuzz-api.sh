#!/usr/bin/env bash
# Asks the API everything that its OpenAPI document allows, and much that it does not, as a signed-in owner of the demo farm:
# no answer may be a server error. `REQUESTS=5000 SEED=1 scripts/fuzz-api.sh`; $HARIT_BIN is the server, the debug build by default.
set -euo pipefail
cd "$(dirname "$0")/.."

REQUESTS=${REQUESTS:-5000}
SEED=${SEED:-1}
HARIT_BIN=${HARIT_BIN:-target/debug/harit}
VENV=$PWD/target/schemathesis
VERSION=4.32.5
READY_WITHIN_SEC=180

[ -x "$HARIT_BIN" ] || { echo "no server at $HARIT_BIN: build it (cargo build), or set HARIT_BIN" >&2; exit 1; }
if [ "$(cat "$VENV/version" 2>/dev/null)" != "$VERSION" ]; then
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$VERSION"
    echo "$VERSION" >"$VENV/version"
fi

dir=$(mktemp -d)
server=""
finish() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
    rm -rf "$dir"
}
trap finish EXIT

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
http=127.0.0.1:$(free_port)
mqtt=127.0.0.1:$(free_port)
# Without the limits that a client would meet, which would answer instead of the routes.
many=1000000
HARIT_LIMITS_READS_PER_USER=$many HARIT_LIMITS_CHANGES_PER_USER=$many HARIT_LIMITS_COMMANDS_PER_USER=$many HARIT_LIMITS_STOPS_PER_USER=$many HARIT_LIMITS_COMMANDS_PER_DEVICE=$many HARIT_LIMITS_SIGN_INS_PER_CONTACT=$many \
    HARIT_LIMITS_SIGN_INS_PER_ADDRESS=$many HARIT_LIMITS_CODES_PER_ADDRESS=$many HARIT_LIMITS_REGISTRATIONS_PER_ADDRESS=$many \
    "$HARIT_BIN" serve --demo --demo-history-days 1 --data-dir "$dir/data" --http "$http" --mqtt "$mqtt" >"$dir/server.log" 2>&1 &
server=$!
for _ in $(seq "$READY_WITHIN_SEC"); do
    curl -sf "http://$http/readyz" >/dev/null && break
    kill -0 "$server" || { cat "$dir/server.log" >&2; exit 1; }
    sleep 1
done
curl -sf "http://$http/readyz" >/dev/null || { echo "not ready within $READY_WITHIN_SEC s" >&2; cat "$dir/server.log" >&2; exit 1; }
token=$(curl -sf "http://$http/auth/login" -H 'content-type: application/json' \
    -d '{"contact":"owner@demo.harit","password":"polyhouse-demo"}' | python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])')

# `coverage` and `examples` have as many cases as the document asks for; `fuzzing` fills up to the number wanted.
operations=$(curl -sf "http://$http/api/openapi.json" | python3 -c \
    'import json, sys; print(sum(len([m for m in p if m != "parameters"]) for p in json.load(sys.stdin)["paths"].values()))')
each=$((REQUESTS / operations + 1))
cat >"$dir/schemathesis.toml" <<'TOML'
[parameters]
"path.farmId" = "demo-farm-1"
TOML
# What ends the sign-in itself is left out.
# It keeps what it learns where it runs.
# One worker: in CPython 3.11 threads that parse Python at once may fail with a SystemError (python/cpython#106905), and two
# are no faster.
(cd "$dir" && "$VENV/bin/schemathesis" --config-file "$dir/schemathesis.toml" run "http://$http/api/openapi.json" \
    --header "Authorization: Bearer $token" --checks not_a_server_error --phases examples,coverage,fuzzing \
    --exclude-path /auth/logout --exclude-path-regex '^/auth/sessions' --exclude-path /metrics \
    --workers 1 --max-examples "$each" --continue-on-failure --seed "$SEED" --suppress-health-check all --warnings off --no-color) |
    tee "$dir/report"
made=$(sed -n 's/^ *\([0-9]*\) generated.*/\1/p' "$dir/report")
[ "${made:-0}" -ge "$REQUESTS" ] || { echo "only ${made:-0} requests of $REQUESTS were made" >&2; exit 1; }
if grep -q 'a request panicked' "$dir/server.log"; then
    grep 'a request panicked' "$dir/server.log" >&2
    exit 1
fi

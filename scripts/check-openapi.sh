#!/usr/bin/env bash
# Holds api/openapi.json to OpenAPI 3.1 with a validator, and has a generator of Python clients make one of it: neither may
# complain of anything.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=$PWD/target/openapi
PACKAGES=(openapi-spec-validator==0.7.2 openapi-python-client==0.26.2)

wanted=${PACKAGES[*]}
if [ "$(cat "$VENV/packages" 2>/dev/null)" != "$wanted" ]; then
    python3 -m venv --clear "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check "${PACKAGES[@]}"
    echo "$wanted" >"$VENV/packages"
fi
# What is wrong comes with the whole document.
"$VENV/bin/openapi-spec-validator" --schema 3.1.0 api/openapi.json 2>&1 | cut -c1-500

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# The generator knows bytes under one name.
echo '{"content_type_overrides": {"image/jpeg": "application/octet-stream", "image/webp": "application/octet-stream"}}' >"$dir/config.json"
PATH=$VENV/bin:$PATH "$VENV/bin/openapi-python-client" generate --path api/openapi.json --output-path "$dir/client" \
    --config "$dir/config.json" --fail-on-warning >"$dir/report" 2>&1 || { cut -c1-500 "$dir/report" >&2; exit 1; }
"$VENV/bin/python" -m compileall -q "$dir/client"
echo "openapi: valid, and a client of $(find "$dir/client" -name '*.py' | wc -l) files was made"

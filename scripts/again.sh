#!/bin/sh
# Runs a command, and up to twice again where it fails: a registry may be busy.
#   scripts/again.sh COMMAND [ARGUMENT...]
for _ in 1 2; do
    "$@" && exit 0
    sleep 10
done
exec "$@"

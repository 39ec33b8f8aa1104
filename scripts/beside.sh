#!/bin/sh
# Runs COMMAND beside a longer one, and yields the processor to that; fails if one of the two does.
#   scripts/beside.sh LOG "COMMAND" LONGER [ARGUMENT...]
# What COMMAND prints comes at the end, and stays in LOG.
set -u
log=$1 command=$2
shift 2
mkdir -p "$(dirname "$log")"
nice -n 5 sh -c "$command" >"$log" 2>&1 &
beside=$!
"$@"
longer=$?
wait "$beside"
status=$?
cat "$log"
[ "$longer" = 0 ] || exit "$longer"
exit "$status"

#!/bin/sh
# A replica of postgres-1 (PRIMARY): copied once, when that can be reached, and run as the user postgres.
set -eu
primary=${PRIMARY:-postgres-1}
data=${PGDATA:-/var/lib/postgresql/data}
if [ "$(id -u)" = 0 ]; then
    chown postgres:postgres "$data"
    exec gosu postgres sh "$0" "$@"
fi
until [ -s "$data/PG_VERSION" ]; do
    pg_basebackup -D "$data" -h "$primary" -p "${PRIMARY_PORT:-5432}" -U harit -R -X stream -c fast || sleep 2
done
chmod 700 "$data"
exec postgres -D "$data" "$@"

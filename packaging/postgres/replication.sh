#!/bin/sh
# Run once, where the cluster is made: a replica may follow it, by the role's password, and has each commit before that is acknowledged.
set -eu
echo "host replication all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# From the next start on: nobody follows yet.
psql -qU "$POSTGRES_USER" -d "$POSTGRES_DB" -c "ALTER SYSTEM SET synchronous_standby_names = '*'"

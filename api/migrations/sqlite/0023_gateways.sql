-- A controller may be a gateway, which stands for many things and controls nothing itself. SQLite changes no CHECK: the table is
-- made anew.
CREATE TABLE controllers_with_gateways (
    -- 12 upper-case hex digits; unique over all farms
    mac TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    -- SHA-256 of the secret, hex: the secret has 256 bits of its own, so no slow hash is needed
    secret_hash TEXT NOT NULL,
    -- the polyhouse (an id in the engine's document) or the reservoir that it serves
    polyhouse_id TEXT,
    reservoir_id TEXT REFERENCES reservoirs (id) ON DELETE SET NULL,
    enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    password_at BIGINT,
    CHECK (kind IN ('POLYHOUSE', 'FERTIGATION', 'GATEWAY'))
);

INSERT INTO controllers_with_gateways (mac, farm_id, kind, name, secret_hash, polyhouse_id, reservoir_id, enabled, created_at, password_at)
SELECT mac, farm_id, kind, name, secret_hash, polyhouse_id, reservoir_id, enabled, created_at, password_at FROM controllers;

DROP TABLE controllers;
ALTER TABLE controllers_with_gateways RENAME TO controllers;
CREATE INDEX controllers_by_farm ON controllers (farm_id);

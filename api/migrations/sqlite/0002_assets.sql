-- What a farm registers and the engine has no part in: controllers with their secrets, integrations, reservoirs.

CREATE TABLE reservoirs (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    capacity_litres DOUBLE PRECISION,
    last_refill_at BIGINT,
    created_at BIGINT NOT NULL
);

CREATE INDEX reservoirs_by_farm ON reservoirs (farm_id);

CREATE TABLE controllers (
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
    CHECK (kind IN ('POLYHOUSE', 'FERTIGATION'))
);

CREATE INDEX controllers_by_farm ON controllers (farm_id);

CREATE TABLE integrations (
    name TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

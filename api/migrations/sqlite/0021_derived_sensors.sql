-- Sensors whose values follow from others: what each is computed by. Its sensor, with what it said, is the engine's.
CREATE TABLE derived_sensors (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- as it was written: JSON
    document TEXT NOT NULL,
    -- since when it is computed so, in milliseconds since 1970
    edited_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, name)
);

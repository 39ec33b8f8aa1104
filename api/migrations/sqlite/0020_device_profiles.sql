-- What the messages of other people's devices mean: profiles that a farm has beside those that are shipped.
CREATE TABLE device_profiles (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- the id in the document
    profile_id TEXT NOT NULL,
    name TEXT NOT NULL,
    -- as it was written: TOML
    document TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, profile_id)
);

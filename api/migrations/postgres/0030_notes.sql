-- What somebody saw or did at a moment; the day is that of the moment in UTC.
CREATE TABLE notes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    day TEXT COLLATE "C" NOT NULL,
    zone_id TEXT COLLATE "C",
    text TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX notes_by_farm ON notes (farm_id, day);

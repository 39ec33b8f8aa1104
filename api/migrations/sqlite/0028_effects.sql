-- Did it work: what each run of a device came to, as it was told, what people set about it, and sensors that left their neighbours.
-- All of it decides nothing; marks and drifts follow from the history, but a mark that was given stays.
CREATE TABLE effect_settings (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT NOT NULL,
    is_off BOOLEAN NOT NULL,
    -- what it is there for, the sensor in which it shows, and within how many minutes; null by its type
    kind TEXT,
    sensor_id TEXT,
    window_min INTEGER,
    PRIMARY KEY (farm_id, device_id)
);

CREATE TABLE effect_marks (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- worked, no_effect or cannot_tell
    mark TEXT NOT NULL,
    reason TEXT,
    -- whether the signal did what it does, also where another device may have done it
    seen BOOLEAN NOT NULL,
    looks INTEGER NOT NULL,
    looked_at BIGINT NOT NULL,
    -- whether another look may change it
    is_open BOOLEAN NOT NULL,
    -- the ids of devices that were switched at the same time, as JSON
    company TEXT NOT NULL,
    -- the numbers, as JSON; null where there are none
    numbers TEXT,
    PRIMARY KEY (farm_id, device_id, started_at)
);

-- Where each device stands by its latest marks.
CREATE TABLE effect_standings (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT NOT NULL,
    -- of the latest runs that can be told, so many, so many worked
    told INTEGER NOT NULL,
    worked INTEGER NOT NULL,
    -- whether the latest run did what it does
    seen BOOLEAN NOT NULL,
    -- what is told of it where it does nothing, as JSON
    failing TEXT,
    PRIMARY KEY (farm_id, device_id)
);

CREATE TABLE sensor_drifts (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    sensor_id TEXT NOT NULL,
    -- the other one, where nobody can say which of two it is
    or_other TEXT,
    since BIGINT NOT NULL,
    -- in micro-units: how far it lies from its neighbours now and did before, and how far it may
    now_apart BIGINT NOT NULL,
    usual_apart BIGINT NOT NULL,
    at_most BIGINT NOT NULL,
    PRIMARY KEY (farm_id, sensor_id)
);

-- Each time that an alert is raised is an incident: what was told of it, and what people answered.
CREATE TABLE incidents (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    alert_id TEXT NOT NULL,
    raised_at BIGINT NOT NULL,
    -- JSON: what the alert was called and watched then
    watch TEXT NOT NULL,
    over_at BIGINT,
    -- how, where its condition did not end it
    ended TEXT,
    PRIMARY KEY (farm_id, alert_id, raised_at)
);
CREATE INDEX incidents_by_time ON incidents (farm_id, raised_at);
CREATE INDEX incidents_open ON incidents (farm_id) WHERE over_at IS NULL;

CREATE TABLE incident_answers (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL,
    alert_id TEXT NOT NULL,
    raised_at BIGINT NOT NULL,
    -- who; the name stays when the account goes
    user_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    user_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- how much the alert mattered when it was answered
    severity TEXT NOT NULL,
    until BIGINT,
    note TEXT,
    at BIGINT NOT NULL,
    FOREIGN KEY (farm_id, alert_id, raised_at) REFERENCES incidents (farm_id, alert_id, raised_at) ON DELETE CASCADE,
    CHECK (kind IN ('on_it', 'acknowledge', 'snooze', 'false_alarm', 'reopen')),
    CHECK ((kind = 'snooze') = (until IS NOT NULL))
);
CREATE INDEX incident_answers_by_incident ON incident_answers (farm_id, alert_id, raised_at, id);

-- Tasks of a farm.

CREATE TABLE tasks (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT,
    assignee_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    category TEXT,
    priority TEXT NOT NULL,
    status TEXT NOT NULL,
    -- a day of the farm's calendar, YYYY-MM-DD: overdue from the next day on
    due_date TEXT NOT NULL,
    created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK (priority IN ('URGENT', 'HIGH', 'MEDIUM', 'LOW')),
    CHECK (status IN ('OPEN', 'IN_PROGRESS', 'IN_REVIEW', 'CLOSED'))
);

CREATE INDEX tasks_by_farm ON tasks (farm_id, status);

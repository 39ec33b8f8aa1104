-- The place of a task in its column: 0, 1, 2... without gaps, for each farm and status.

ALTER TABLE tasks ADD COLUMN rank BIGINT NOT NULL DEFAULT 0;

UPDATE tasks SET rank = (
    SELECT COUNT(*) FROM tasks o
    WHERE o.farm_id = tasks.farm_id AND o.status = tasks.status
        AND (o.created_at < tasks.created_at OR (o.created_at = tasks.created_at AND o.id < tasks.id))
);

DROP INDEX tasks_by_farm;
CREATE INDEX tasks_by_farm ON tasks (farm_id, status, rank);

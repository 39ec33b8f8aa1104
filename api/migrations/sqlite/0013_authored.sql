-- How far the audit log has what the farm's own log says that people changed: instant and number of the last entry taken over.

ALTER TABLE audit_heads ADD COLUMN authored_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_heads ADD COLUMN authored BIGINT NOT NULL DEFAULT 0;

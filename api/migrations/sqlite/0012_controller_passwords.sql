-- When a controller got its present password. Not known of those that have one from before.

ALTER TABLE controllers ADD COLUMN password_at BIGINT;

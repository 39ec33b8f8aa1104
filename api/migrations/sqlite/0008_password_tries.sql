-- Wrong passwords by contact, whether or not it has an account: the limit holds over a restart and over all addresses.

CREATE TABLE password_tries (
    contact TEXT NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL,
    -- since when they are counted
    since BIGINT NOT NULL
);

CREATE INDEX password_tries_by_time ON password_tries (since);

-- Who wants to be told that the evening letter is ready: what somebody chose; without a row the role decides.
CREATE TABLE letter_choices (
    user_id TEXT NOT NULL,
    farm_id TEXT NOT NULL,
    is_told BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, farm_id),
    -- goes with the membership, also to the account that keeps it when several become one
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE
);

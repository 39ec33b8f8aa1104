-- What follows from whole hours, as hours do from minutes; days of UTC since 1970.
CREATE TABLE day (series BIGINT NOT NULL, day BIGINT NOT NULL, count BIGINT NOT NULL, sum BIGINT NOT NULL, min BIGINT NOT NULL,
  max BIGINT NOT NULL, last BIGINT NOT NULL, last_at BIGINT NOT NULL, PRIMARY KEY (series, day));
-- Every day before this one is there.
CREATE TABLE rolled_day (only_one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_one), day BIGINT NOT NULL);

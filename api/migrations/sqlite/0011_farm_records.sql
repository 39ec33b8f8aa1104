-- What people write down of their farm. Days are YYYY-MM-DD, quantities are millionths of their unit, money is paise; lists are JSON.

CREATE TABLE templates (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    crop TEXT NOT NULL,
    variety TEXT,
    -- [{"name", "days", "setpoints": [{"sensorType", "min", "max"}]}]
    stages TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX templates_by_farm ON templates (farm_id);

CREATE TABLE crop_cycles (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    crop TEXT NOT NULL,
    variety TEXT,
    -- the engine's; it may be gone from there
    zone_id TEXT NOT NULL,
    plants BIGINT,
    sown_on TEXT,
    transplanted_on TEXT,
    expected_harvest_on TEXT,
    -- kilograms, and paise for one
    expected_yield BIGINT,
    expected_price BIGINT,
    ended_on TEXT,
    stages TEXT NOT NULL,
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX crop_cycles_by_farm ON crop_cycles (farm_id);

CREATE TABLE nurseries (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    crop TEXT NOT NULL,
    variety TEXT,
    place TEXT,
    trays BIGINT NOT NULL,
    cells_per_tray BIGINT NOT NULL,
    sown_on TEXT NOT NULL,
    -- seedlings
    germinated BIGINT,
    ready_on TEXT,
    transplanted BIGINT,
    transplanted_on TEXT,
    cycle_id TEXT REFERENCES crop_cycles (id),
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX nurseries_by_farm ON nurseries (farm_id);
CREATE INDEX nurseries_by_cycle ON nurseries (cycle_id);

CREATE TABLE inventory_items (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    unit TEXT NOT NULL,
    lowest_stock BIGINT,
    note TEXT,
    -- what the movements come to, written with each of them
    stock BIGINT NOT NULL DEFAULT 0,
    value BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, name)
);

CREATE TABLE stock_movements (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    item_id TEXT NOT NULL REFERENCES inventory_items (id),
    kind TEXT NOT NULL,
    moved_on TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    -- of all that was bought
    cost BIGINT,
    cycle_id TEXT REFERENCES crop_cycles (id),
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX stock_movements_by_farm ON stock_movements (farm_id, moved_on);
CREATE INDEX stock_movements_by_item ON stock_movements (item_id);
CREATE INDEX stock_movements_by_cycle ON stock_movements (cycle_id);

CREATE TABLE harvests (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    cycle_id TEXT NOT NULL REFERENCES crop_cycles (id),
    harvested_on TEXT NOT NULL,
    -- kilograms
    weight BIGINT NOT NULL,
    grade TEXT NOT NULL,
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX harvests_by_farm ON harvests (farm_id, harvested_on);
CREATE INDEX harvests_by_cycle ON harvests (cycle_id);

CREATE TABLE sales (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    buyer TEXT NOT NULL,
    sold_on TEXT NOT NULL,
    -- [{"what", "grade", "cycleId", "quantity", "unit", "pricePaise"}]
    lines TEXT NOT NULL,
    -- what the lines come to
    total BIGINT NOT NULL,
    paid BIGINT NOT NULL,
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX sales_by_farm ON sales (farm_id, sold_on);

CREATE TABLE expenses (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    what TEXT NOT NULL,
    category TEXT NOT NULL,
    spent_on TEXT NOT NULL,
    amount BIGINT NOT NULL,
    cycle_id TEXT REFERENCES crop_cycles (id),
    note TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX expenses_by_farm ON expenses (farm_id, spent_on);
CREATE INDEX expenses_by_cycle ON expenses (cycle_id);

-- What a task is about: CYCLE, ZONE or DEVICE, and its id.
ALTER TABLE tasks ADD COLUMN about_kind TEXT;
ALTER TABLE tasks ADD COLUMN about_id TEXT;

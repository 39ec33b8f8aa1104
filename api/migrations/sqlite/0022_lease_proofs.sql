-- Devices of other systems that showed to go off by themselves, and how they were commanded then: others are never switched on.
CREATE TABLE lease_proofs (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    controller TEXT NOT NULL,
    -- the controller's own id of the device
    device TEXT NOT NULL,
    -- what its profile says of it: JSON
    control TEXT NOT NULL,
    -- in milliseconds since 1970
    proven_at BIGINT NOT NULL,
    proven_by TEXT NOT NULL,
    PRIMARY KEY (farm_id, controller, device)
);

//! An engine keeps no more bytes a sensor and a rule than it may. A counting allocator counts them, so the figures are the same
//! on every machine.

use std::alloc::System;

use cap::Cap;
use harit_benches::memory::{MAX_RULE_BYTES, MAX_SENSOR_BYTES, footprint};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// One test only: another one beside it would be counted too.
#[test]
fn sensors_and_rules_stay_within_their_bytes() {
    let f = footprint(10_000, 10_000, || ALLOCATOR.allocated()).unwrap();
    assert!(f.sensor <= MAX_SENSOR_BYTES, "{f:?}");
    for rule in [f.rule, f.pending_rule, f.saved_rule] {
        assert!(rule <= MAX_RULE_BYTES, "{f:?}");
    }
}

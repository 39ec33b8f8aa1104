//! What comes at the same moment, and so in one batch of the journal: scripted, because a random day rarely has it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

mod bench;

use bench::{BIRTH, Bench, FARM};
use futures_util::FutureExt as _;
use harit_engine::{DeviceStatus, InputKind, Lock, LockKind, Status};

const PANEL: &str = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":"panel","safety":true}]}"#;
const GONE: &str = r#"{"online":false}"#;

/// Presence: a birth, and what its controller says right after it.
#[test]
fn what_follows_a_first_birth_in_its_turn_counts() {
    for (said, online, lock, safety) in [
        (vec![BIRTH, GONE], false, None, false),
        (vec![BIRTH, PANEL], true, Some("panel"), true),
        (vec![BIRTH, PANEL, GONE], false, Some("panel"), true),
        (vec![BIRTH, PANEL, BIRTH], true, None, false),
        (vec![PANEL, BIRTH], true, None, false),
        (vec![GONE, BIRTH], true, None, false),
    ] {
        let mut bench = Bench::new();
        for payload in &said {
            bench.says(payload);
        }
        bench.server.turn(None);
        let is = bench.device();
        assert_eq!(
            (is.online, reason(&is), is.safety),
            (online, lock, safety),
            "{said:?}"
        );
        assert!(bench.folds());
    }
}

/// I12: a panel that opens does not open what a person locks at that moment, whichever of them is first.
#[test]
fn a_panel_does_not_open_the_lock_of_a_person_of_the_same_turn() {
    for person_first in [true, false] {
        for meanwhile_unlocked in [true, false] {
            let mut bench = Bench::new();
            let admit = |bench: &mut Bench, lock: Lock| {
                let status = Status {
                    lock: Some(lock),
                    ..Status::default()
                };
                let device = "fan-1".into();
                let kind = InputKind::Status { device, status };
                bench.server.admit(&FARM.into(), kind)
            };
            for payload in [BIRTH, PANEL] {
                bench.says(payload);
                bench.server.turn(None);
            }
            if meanwhile_unlocked {
                drop(admit(&mut bench, Lock::OpenAll));
                bench.server.turn(None);
                assert!(bench.device().locks.is_empty());
            }
            if !person_first {
                bench.says(BIRTH);
            }
            let answer = admit(
                &mut bench,
                Lock::Engage {
                    kind: LockKind::Person,
                    reason: "cleaning".into(),
                },
            );
            if person_first {
                bench.says(BIRTH);
            }
            bench.server.turn(None);
            assert!(answer.now_or_never().unwrap().unwrap().is_ok());
            assert_eq!(
                reason(&bench.device()),
                Some("cleaning"),
                "the person first: {person_first}, unlocked meanwhile: {meanwhile_unlocked}"
            );
            assert!(bench.folds());
        }
    }
}

/// Why a device is locked: the first lock's reason.
fn reason(device: &DeviceStatus) -> Option<&str> {
    device.locks.first().map(|lock| &*lock.reason)
}

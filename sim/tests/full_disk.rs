//! A full disk stops no stop: room is kept back for it, which nothing else uses.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

mod bench;

use bench::{BIRTH, Bench};
use futures_util::FutureExt as _;
use harit_engine::LockKind;

/// Whether a stop is recorded, and how many `off` went out.
fn stopped(bench: &mut Bench, by: &str) -> (bool, usize) {
    let answer = bench.stop(by);
    let last = bench.disk.last();
    bench.server.turn(None);
    let recorded = answer.now_or_never().is_some_and(|a| a.unwrap().is_ok());
    assert_eq!(bench.disk.last() > last, recorded);
    let sent = bench.take_sent();
    assert!(sent.iter().all(|s| s["action"]["on"] == false), "{sent:?}");
    (recorded, sent.len())
}

#[test]
fn what_a_stop_made_room_for_is_for_stops_only() {
    let mut bench = Bench::running();
    bench.disk.fill(true);
    assert_eq!(stopped(&mut bench, "asha"), (true, 1));
    assert_eq!(bench.device().locks[0].kind, LockKind::Stop);
    assert!(bench.folds());
    assert!(
        stopped(&mut bench, "ravi").0,
        "there is room for further ones"
    );
    let last = bench.disk.last();
    let said = bench.says(BIRTH);
    bench.server.turn(None);
    assert_eq!(
        (bench.disk.last(), said.now_or_never()),
        (last, None),
        "and not for a report"
    );

    bench.disk.fill(false);
    bench.restart();
    let by: Vec<_> = bench.device().locks.into_iter().map(|l| l.kind).collect();
    assert_eq!(by, [LockKind::Stop; 2]);
    let said = bench.says(BIRTH);
    bench.server.turn(None);
    assert!(said.now_or_never().is_some(), "there is room again");
    bench.disk.fill(true);
    bench.take_sent();
    assert!(
        stopped(&mut bench, "meera").0,
        "and some is kept back again"
    );
}

/// Where nothing is kept back any more, a stop is sent, and is recorded when there is room.
#[test]
fn a_stop_that_has_no_room_is_sent_and_recorded_later() {
    let mut bench = Bench::running();
    bench.disk.fill(true);
    let recorded = (0..10).map(|n| stopped(&mut bench, &format!("p{n}")));
    let recorded: Vec<(bool, usize)> = recorded.collect();
    let first = recorded.iter().filter(|(is, _)| *is).count();
    assert_eq!(first, 3, "{recorded:?}");
    assert!(recorded[..3].iter().all(|(is, _)| *is), "{recorded:?}");
    assert!(
        recorded[3..].iter().all(|(_, sent)| *sent >= 1),
        "{recorded:?}"
    );
    assert_eq!(bench.device().locks.len(), 3);
    bench.disk.fill(false);
    bench.server.turn(None);
    assert_eq!(bench.device().locks.len(), 10);
    assert!(bench.folds());
}

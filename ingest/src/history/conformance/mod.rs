//! What every history does, as cases that run over any store of one: a new store is one when [`run`] has nothing against it.
//!
//! | law | |
//! |---|---|
//! | once | a fold that is handed over twice changes nothing the second time, in none of its parts |
//! | whole | a transaction is there wholly or not, with its position, also for who reads while it is written, and of all sensors alike |
//! | exact | minutes, hours, days and steps are what a naive fold of the readings says: count, sum, mean, least, most and last; also of late ones |
//! | gaps | steps without a reading are absent |
//! | order | events and log entries are in the order in which they were handed over; pages neither miss nor repeat any; counts are exact |
//! | lives | of a command there is one life, the latest; an entry's result is that of its commands |
//! | watermark | after an end of any kind it is that of what is there, by generation and shard; a journal that was put back is followed from there |
//! | one writer | who opens a history takes it over: what somebody else still wants to write is not written beside it |
//! | apart | farms see nothing of each other, also where their sensors, devices and commands have the same names |
//! | age | minutes, events, commands, log and reports go when they are too old, hours and days later; a device's last report stays |
//! | bounds | a question that is too large is refused, and an answer is never longer than it may be |
//! | unknown | of what nobody ever told there is nothing, and no error |
//! | letters | what was refused is counted up by topic and reason, and bounded |
//! | any text | names and texts are given back as they came; the one character that not every database takes may be replaced |

mod decisions;
mod keeping;
mod readings;
mod rig;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::HistoryPlace;
use rig::Rig;

type Case = fn(&Rig);

/// Runs every case on an empty place of its own.
///
/// # Panics
/// When the history does not do what one does; the message has the names of the cases.
pub(super) fn run(mut place: impl FnMut() -> HistoryPlace) {
    let mut failed = Vec::new();
    let all = [readings::ALL, decisions::ALL, keeping::ALL];
    for (name, case) in all.into_iter().flatten() {
        let rig = Rig::new(place());
        if catch_unwind(AssertUnwindSafe(|| case(&rig))).is_err() {
            failed.push(*name);
        }
    }
    assert!(
        failed.is_empty(),
        "not as a history: {}; what was panicked with is above",
        failed.join("; ")
    );
}

#[test]
fn sqlite_is_a_history() {
    let dir = tempfile::tempdir().unwrap();
    let mut n = 0;
    run(|| {
        n += 1;
        HistoryPlace::File(dir.path().join(format!("{n}.db")))
    });
}

/// `make test-services` runs it.
#[test]
#[ignore = "needs PostgreSQL: make test-services"]
fn postgres_is_a_history() {
    let server = harit_testkit::postgres::Server::start();
    run(|| HistoryPlace::Postgres(super::PostgresUrl::new(&server.database(), "").unwrap()));
}

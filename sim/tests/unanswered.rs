//! An append that a journal elsewhere does not answer is repeated as it was: that of a batch, and that of a stop.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

mod bench;

use bench::{BIRTH, Bench};
use futures_util::FutureExt as _;
use harit_ingest::simulation::Answer;

type Recorded = Answer<Vec<harit_engine::Event>>;

fn is_recorded(answer: &mut Recorded) -> bool {
    answer.now_or_never().is_some_and(|a| a.unwrap().is_ok())
}

/// Whose stops hold the fan.
fn stopped_by(bench: &Bench) -> Vec<String> {
    let locks = bench.device().locks.into_iter();
    let owners = locks.filter_map(|lock| lock.owner);
    owners.map(|owner| owner.user_id.to_string()).collect()
}

#[test]
fn a_stop_is_sent_at_once_and_recorded_as_it_was() {
    for is_stored in [true, false] {
        let mut bench = Bench::running();
        let last = bench.disk.last();
        bench.disk.lose_answer(is_stored);
        bench.disk.lose_answer(!is_stored);
        let mut first = bench.stop("asha");
        bench.server.turn(None);
        let sent = bench.take_sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert_eq!(sent[0]["action"]["on"], false);
        assert!(!is_recorded(&mut first));

        // Somebody else stops it too, meanwhile: that waits for a batch of its own.
        bench.wait_ms(1_000);
        let mut second = bench.stop("ravi");
        bench.server.turn(None);
        assert_eq!(bench.take_sent().len(), 1);
        assert!(!is_recorded(&mut first) && !is_recorded(&mut second));
        assert!(stopped_by(&bench).is_empty());

        bench.wait_ms(1_000);
        bench.server.turn(None);
        assert!(is_recorded(&mut first) && is_recorded(&mut second));
        assert_eq!(bench.disk.last(), last + 2, "one batch each");
        assert_eq!(stopped_by(&bench), ["asha", "ravi"]);
        assert!(bench.folds());
        bench.restart();
        assert_eq!(stopped_by(&bench), ["asha", "ravi"]);
    }
}

#[test]
fn a_stop_comes_after_the_batch_that_may_be_there() {
    for is_stored in [true, false] {
        let mut bench = Bench::running();
        let last = bench.disk.last();
        bench.disk.lose_answer(is_stored);
        let mut report = bench.says(BIRTH);
        bench.server.turn(None);
        assert_eq!((&mut report).now_or_never(), None);
        bench.take_sent();

        bench.wait_ms(1_000);
        let mut stop = bench.stop("asha");
        bench.server.turn(None);
        assert!((&mut report).now_or_never().is_some());
        assert!(is_recorded(&mut stop));
        let sent = bench.take_sent();
        assert!(!sent.is_empty(), "at once");
        assert!(sent.iter().all(|s| s["action"]["on"] == false), "{sent:?}");
        assert!(bench.disk.last() >= last + 2);
        assert_eq!(stopped_by(&bench), ["asha"]);
        assert!(bench.folds());
    }
}

#[test]
fn who_starts_again_has_what_is_there() {
    for is_stored in [true, false] {
        let mut bench = Bench::running();
        bench.disk.lose_answer(is_stored);
        let mut stop = bench.stop("asha");
        bench.server.turn(None);
        assert!(!is_recorded(&mut stop));
        bench.restart();
        let expected: &[&str] = if is_stored { &["asha"] } else { &[] };
        assert_eq!(stopped_by(&bench), expected);
        assert!(bench.folds());
    }
}

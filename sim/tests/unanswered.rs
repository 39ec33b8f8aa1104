//! An append that a journal elsewhere does not answer is repeated as it was: that of a batch, and that of a stop. One that another
//! server came before is not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

mod bench;

use bench::{BIRTH, Bench, FARM, stop};
use futures_util::FutureExt as _;
use harit_ingest::simulation::Answer;
use serde_json::{Value, json};

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
        for n in 0..20 {
            bench.disk.lose_answer(is_stored == (n % 2 == 0));
        }
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

        bench.disk.answer_all();
        bench.wait_ms(1_000);
        bench.server.turn(None);
        assert!(is_recorded(&mut first) && is_recorded(&mut second));
        assert!(bench.disk.last() >= last + 2, "a batch each");
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
fn what_waited_for_longer_than_it_is_good_for_is_not_sent() {
    let mut bench = Bench::running();
    for _ in 0..20 {
        bench.disk.lose_answer(true);
    }
    let line = json!({"at": 0, "input": "manual", "device": "fan-1", "cmd_type": "override", "action": "off", "duration_sec": 600});
    let off = harit_protocol::jsonl::parse(&line.to_string()).unwrap();
    let mut answer = bench.server.admit(&FARM.into(), off.kind);
    bench.server.turn(None);
    assert!(!is_recorded(&mut answer));
    bench.disk.answer_all();
    bench.wait_ms(20_000);
    bench.server.turn(None);
    assert!(is_recorded(&mut answer));
    let now = bench.server.now().as_millis();
    let sent = bench.take_sent();
    let is_good = |s: &Value| s["cmd_type"] == "renew" || s["expires_at"].as_i64().unwrap() > now;
    assert!(sent.iter().all(is_good), "{sent:?}");
    assert!(bench.folds());
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

/// It gets out, as that may be the only way; but who asked must not take it for one that will be recorded.
#[test]
fn a_stop_at_a_server_that_was_taken_over_is_sent_and_refused() {
    let mut bench = Bench::running();
    let mut first = bench.restart();
    bench.take_sent();
    let (recorded, sent) = first.urge(&FARM.into(), stop("asha"));
    first.turn(None);
    let out = bench.take_sent();
    assert_eq!(out.len(), 1, "{out:?}");
    assert_eq!(out[0]["action"]["on"], false);
    assert!(first.is_taken_over());
    assert!(sent.now_or_never().unwrap().is_err());
    assert!(recorded.now_or_never().unwrap().is_err());
    bench.server.turn(None);
    assert!(stopped_by(&bench).is_empty());

    let mut again = bench.stop("asha");
    bench.server.turn(None);
    assert!(is_recorded(&mut again));
    assert_eq!(stopped_by(&bench), ["asha"]);
    assert!(bench.folds());
}

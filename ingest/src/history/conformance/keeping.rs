//! Positions, what is removed when, letters, and what nobody told.

use harit_engine::FarmId;
use harit_farm::CommandState;

use super::Case;
use super::rig::{DAY_MS, Rig, START, at, entry, event, life, logged, reading, report};
use crate::command::CommandFilter;
use crate::dead_letter::{DeadLetter, MAX_STORED};
use crate::history::EventFilter;
use crate::history::place::PlaceQuestion;
use crate::history::told::{Fold, Write};
use crate::log::LogFilter;

pub(super) const ALL: &[(&str, Case)] = &[
    ("positions are those of what is there", watermark),
    (
        "a journal that was put back is followed from there",
        put_back,
    ),
    ("who opens a history takes it over", one_writer),
    ("what is too old goes, hours and days later", age),
    (
        "farms are apart, and of the unknown there is nothing",
        apart,
    ),
    ("letters are counted up and bounded", letters),
];

fn watermark(rig: &Rig) {
    let positions = |shard| rig.store().positions().of(shard);
    let durable = |shard| rig.store().positions().durable(shard);
    assert_eq!((positions(0), positions(3)), (0, 0));
    rig.fold(|f| f.events.push(event("f", START, "command", 1)));
    rig.told(Write::Fold(Fold {
        generation: 1,
        shard: 3,
        seq: 70,
        ..Fold::default()
    }));
    assert_eq!((positions(0), positions(3), durable(3)), (1, 70, 0));
    rig.told(Write::Sync);
    assert_eq!((durable(0), durable(3)), (1, 70));
    rig.abandon();
    assert_eq!((positions(0), positions(3), durable(0)), (1, 70, 0));
    // Another generation of journals begins at nothing, and the one before stays what it was.
    rig.store().begin(2).unwrap();
    assert_eq!((positions(0), positions(3)), (0, 0));
    let of_another = |generation, seq| {
        rig.told(Write::Fold(Fold {
            generation,
            seq,
            ..Fold::default()
        }));
    };
    of_another(2, 5);
    of_another(1, 9);
    assert_eq!(positions(0), 5);
    rig.store().begin(1).unwrap();
    assert_eq!((positions(0), positions(3)), (9, 70));
}

fn put_back(rig: &Rig) {
    for n in 0..5 {
        rig.fold(|f| f.events.push(event("f", START, "command", n)));
    }
    rig.told(Write::Sync);
    rig.told(Write::SetBack {
        generation: 1,
        shard: 0,
        seq: 2,
    });
    let store = rig.store();
    assert_eq!(
        (store.positions().of(0), store.positions().durable(0)),
        (2, 2)
    );
    drop(store);
    rig.abandon();
    assert_eq!(rig.store().positions().of(0), 2);
    rig.seq.set(2);
    rig.fold(|f| f.events.push(event("f", START, "command", 9)));
    let (store, farm) = (rig.store(), "f".into());
    let all = rig
        .ask(store.reads().events(&farm, EventFilter::default()))
        .unwrap();
    let numbers: Vec<_> = all.iter().map(|e| e.body["n"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [9, 4, 3, 2, 1, 0], "what did happen stays");
}

/// The predecessor still has the same fold in hand that its successor makes of the journal.
fn one_writer(rig: &Rig) {
    rig.fold(|f| f.rollups.push(reading("f", "a", START, 1)));
    let successor = rig.opened();
    assert_eq!(successor.positions().of(0), 1);
    let fold = || Fold {
        generation: 1,
        seq: 2,
        rollups: vec![reading("f", "a", START, 1)],
        ..Fold::default()
    };
    successor.handle().send(Write::Fold(fold()));
    successor.barrier_blocking();
    rig.store().handle().send(Write::Fold(fold()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (farm, sensor) = ("f".into(), "a".into());
    let asked = successor
        .reads()
        .rollups(&farm, &sensor, at(START), at(START + 1), 60);
    assert_eq!(rig.ask(asked).unwrap()[0].count, 2);
    rig.store()
        .positions()
        .closing
        .store(true, std::sync::atomic::Ordering::Release);
    successor.stop();
}

fn age(rig: &Rig) {
    let old = START - 10 * DAY_MS;
    rig.fold(|f| {
        for (n, ms) in [(0, old), (1, START)] {
            f.rollups.push(reading("f", "a", ms, n));
            f.events.push(event("f", ms, "command", n));
            f.log.push(logged(
                "f",
                entry(ms, ["fan", &format!("rule {n}"), "u"], &[&format!("c{n}")]),
            ));
            f.reported.push(report("f", "fan", ms, Some(n == 0)));
            f.reported.push(report("f", "vent", old - n, Some(true)));
        }
    });
    rig.told(Write::Lives(vec![
        life("f", "c0", old, CommandState::Acked),
        life("f", "c1", START, CommandState::Acked),
    ]));
    // Past 30 days after the first, not after the second.
    rig.reopen_after(25 * DAY_MS);
    let (store, farm, sensor) = (rig.store(), FarmId::from("f"), "a".into());
    let reads = store.reads();
    let points = |step_sec| {
        let asked = reads.rollups(&farm, &sensor, at(old), at(START + DAY_MS), step_sec);
        rig.ask(asked).unwrap().len()
    };
    assert_eq!(
        [86_400, 3_600, 300].map(points),
        [2, 2, 1],
        "days and hours outlast minutes"
    );
    let events = rig
        .ask(reads.events(&farm, EventFilter::default()))
        .unwrap();
    assert_eq!(events.len(), 1);
    let filter = |device: Option<&str>| LogFilter {
        device: device.map(str::to_owned),
        take: 9,
        ..LogFilter::default()
    };
    let log = rig.ask(reads.log(&farm, filter(None))).unwrap();
    assert_eq!((log.total, log.entries.len()), (1, 1));
    for (name, n) in [("rule 0", 0), ("rule 1", 1), ("fan", 1)] {
        let found = rig.ask(reads.log(&farm, filter(Some(name)))).unwrap();
        assert_eq!(found.matching, n, "{name}");
    }
    // A controller is found by its name, of which the log has the MAC.
    for (mac, n) in [("FAN", 1), ("fog", 0), ("rule 1", 0)] {
        let called = LogFilter {
            controllers: vec![mac.to_owned()],
            ..filter(Some("what nothing is called"))
        };
        let found = rig.ask(reads.log(&farm, called)).unwrap();
        assert_eq!(found.matching, n, "{mac}");
    }
    let commands = rig
        .ask(reads.commands(&farm, CommandFilter::default()))
        .unwrap();
    assert_eq!(commands.len(), 1);
    for (device, left) in [("fan", vec![START]), ("vent", vec![old])] {
        let device = device.into();
        let all = reads.reports(&farm, &device, at(old - 9), at(START + 1));
        let all: Vec<_> = rig
            .ask(all)
            .unwrap()
            .iter()
            .map(|r| r.at.as_millis())
            .collect();
        assert_eq!(all, left, "the last of a device stays");
    }
    drop(store);
    // What comes after goes on from there, also with a name that nothing had any more.
    rig.fold(|f| {
        f.log
            .push(logged("f", entry(START, ["fan", "rule 0", "u"], &[])));
    });
    let found = rig
        .ask(rig.store().log(&farm, filter(Some("rule 0"))))
        .unwrap();
    assert_eq!((found.total, found.matching), (2, 1));
    rig.reopen_after(300 * DAY_MS);
    let store = rig.store();
    for step_sec in [86_400, 3_600] {
        let (from, to) = (at(old), at(START + DAY_MS));
        let asked = store.reads().rollups(&farm, &sensor, from, to, step_sec);
        assert_eq!(rig.ask(asked).unwrap(), [], "by {step_sec} s");
    }
}

fn apart(rig: &Rig) {
    rig.fold(|f| {
        f.rollups.push(reading("f", "a", START, 1));
        f.events.push(event("f", START, "command", 1));
        f.log
            .push(logged("f", entry(START, ["fan", "r", "u"], &["c1"])));
        f.reported.push(report("f", "fan", START, Some(true)));
    });
    rig.told(Write::Lives(vec![life(
        "f",
        "c1",
        START,
        CommandState::Sent,
    )]));
    // The same command id elsewhere changes nothing here.
    rig.told(Write::Lives(vec![life(
        "g",
        "c1",
        START,
        CommandState::Failed,
    )]));
    let store = rig.store();
    let reads = store.reads();
    let all = LogFilter {
        take: 9,
        ..LogFilter::default()
    };
    let f = FarmId::from("f");
    let mine = rig.ask(reads.command(&f, "c1")).unwrap().unwrap();
    assert_eq!(mine.state, CommandState::Sent);
    assert_eq!(
        rig.ask(reads.log(&f, all.clone())).unwrap().entries[0]
            .states
            .len(),
        1
    );
    for farm in ["g", "nobody", ""] {
        let farm = FarmId::from(farm);
        let (a, fan) = ("a".into(), "fan".into());
        let (from, to) = (at(0), at(START + DAY_MS));
        assert_eq!(
            rig.ask(reads.rollups(&farm, &a, from, to, 86_400)).unwrap(),
            []
        );
        let question = PlaceQuestion {
            sensors: vec![(a, 1)],
            from,
            to,
            step_sec: 86_400,
            each: true,
        };
        let past = rig.ask(reads.place(&farm, question)).unwrap();
        assert_eq!(
            (past.groups, past.sensors[0].count),
            (vec![vec![], vec![]], 0)
        );
        assert_eq!(rig.ask(reads.reports(&farm, &fan, from, to)).unwrap(), []);
        assert_eq!(
            rig.ask(reads.events(&farm, EventFilter::default()))
                .unwrap(),
            []
        );
        assert_eq!(rig.ask(reads.log(&farm, all.clone())).unwrap().total, 0);
        assert_eq!(rig.ask(reads.dead_letters(&farm, 9)).unwrap(), []);
        let commands = rig
            .ask(reads.commands(&farm, CommandFilter::default()))
            .unwrap();
        assert_eq!(commands.len(), usize::from(farm.as_str() == "g"));
        assert_eq!(rig.ask(reads.command(&farm, "c9")).unwrap(), None);
    }
}

fn letters(rig: &Rig) {
    let letter = |topic: &str, payload: &[u8], count: u64, ms: i64| DeadLetter {
        farm: "f".into(),
        topic: topic.to_owned(),
        reason: "malformed".to_owned(),
        payload: payload.to_vec(),
        count,
        first_at: at(START + ms),
        last_at: at(START + ms),
    };
    rig.told(Write::DeadLetters(vec![
        letter("t", b"\x00\xff", 2, 0),
        letter("t", b"b", 3, 5),
    ]));
    rig.told(Write::DeadLetters(vec![
        letter("t", b"c", 4, 3),
        letter("u", b"", 1, 1),
    ]));
    let farm = "f".into();
    let ask = |n| rig.ask(rig.store().dead_letters(&farm, n)).unwrap();
    let mut sum = letter("t", b"c", 9, 0);
    sum.last_at = at(START + 5);
    assert_eq!(ask(9), [sum.clone(), letter("u", b"", 1, 1)]);
    assert_eq!(ask(1), [sum]);
    let many = (0..=MAX_STORED).map(|n| letter(&format!("m{n}"), b"x", 1, 9));
    rig.told(Write::DeadLetters(many.collect()));
    let left = ask(0);
    assert_eq!(left.len(), MAX_STORED);
    assert!(
        left.iter().all(|l| l.topic.starts_with('m')),
        "the oldest go"
    );
}

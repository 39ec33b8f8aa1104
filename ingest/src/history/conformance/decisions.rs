//! What engines decided: events, commands, the log, reports.

use harit_engine::FarmId;
use harit_farm::CommandState;
use harit_testkit::Dice;

use super::Case;
use super::rig::{Rig, START, at, dice, entry, event, life, logged, report};
use crate::command::{CommandFilter, MAX_LISTED};
use crate::history::EventFilter;
use crate::history::told::Write;
use crate::log::store::Imported;
use crate::log::{LogFilter, LogPage, LogResult, LogType, MAX_PAGE, NewLogEntry};

pub(super) const ALL: &[(&str, Case)] = &[
    ("a fold that comes twice is there once", once),
    ("events are in order, page by page", events),
    (
        "of a command there is one life, and an entry has its result",
        lives,
    ),
    (
        "a lost command is told once nobody can answer any more",
        recovered,
    ),
    (
        "pages of the log miss nothing, repeat nothing and count exactly",
        pages,
    ),
    (
        "what was written down elsewhere is taken over once",
        imported,
    ),
    ("reports are led by what held before", reports),
    ("names and texts are given back", texts),
];

fn page(rig: &Rig, farm: &str, filter: LogFilter) -> LogPage {
    let farm = farm.into();
    rig.ask(rig.store().log(&farm, filter)).unwrap()
}

fn first(take: usize) -> LogFilter {
    LogFilter {
        take,
        ..LogFilter::default()
    }
}

fn once(rig: &Rig) {
    let fold = |f: &mut crate::history::told::Fold| {
        f.rollups.push(super::rig::reading("f", "a", START, 5));
        f.events.push(event("f", START, "command", 1));
        f.reported.push(report("f", "fan", START, Some(true)));
        f.log
            .push(logged("f", entry(START, ["fan", "r", "u"], &["c1"])));
    };
    rig.fold(fold);
    for _ in 0..2 {
        // The same number once more, as where the answer to a commit was lost.
        rig.seq.set(rig.seq.get() - 1);
        rig.fold(fold);
        let (farm, sensor) = (FarmId::from("f"), "a".into());
        let store = rig.store();
        let reads = store.reads();
        let points = rig.ask(reads.rollups(&farm, &sensor, at(START), at(START + 1), 60));
        assert_eq!(points.unwrap()[0].count, 1);
        let events = rig
            .ask(reads.events(&farm, EventFilter::default()))
            .unwrap();
        assert_eq!(events.len(), 1);
        let found = page(rig, "f", first(9));
        assert_eq!((found.total, found.entries.len()), (1, 1));
        drop(store);
        rig.abandon();
    }
    assert_eq!(rig.store().positions().of(0), 1);
}

fn events(rig: &Rig) {
    for part in 0..3_i64 {
        rig.fold(|f| {
            for n in part * 40..part * 40 + 40 {
                let name = if n % 4 == 0 { "rule_fired" } else { "command" };
                // By the order in which they were told, whatever their instants.
                f.events.push(event("f", START - n % 7, name, n));
                f.events.push(event("g", START, "command", -n));
            }
        });
    }
    let store = rig.store();
    let (reads, farm) = (store.reads(), FarmId::from("f"));
    let ask = |filter: EventFilter| rig.ask(reads.events(&farm, filter)).unwrap();
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let next = ask(EventFilter {
            before,
            limit: 33,
            ..EventFilter::default()
        });
        let Some(last) = next.last() else { break };
        before = Some(last.id);
        found.extend(next);
    }
    let of = |e: &crate::history::StoredEvent| e.body["n"].as_i64().unwrap();
    let numbers: Vec<i64> = found.iter().map(of).collect();
    assert_eq!(numbers, (0..120).rev().collect::<Vec<_>>());
    assert!(found.windows(2).all(|w| w[0].id > w[1].id));
    let some = ask(EventFilter {
        events: vec!["rule_fired".into(), "alert_raised".into()],
        from: Some(at(START - 3)),
        to: Some(at(START)),
        ..EventFilter::default()
    });
    let expected = (0..120)
        .rev()
        .filter(|n| n % 4 == 0 && (1..=3).contains(&(n % 7)));
    assert_eq!(
        some.iter().map(of).collect::<Vec<_>>(),
        expected.collect::<Vec<_>>()
    );
    let after = rig.ask(reads.events_after(&farm, found[50].id, 7)).unwrap();
    assert_eq!(
        after.iter().map(of).collect::<Vec<_>>(),
        (70..77).collect::<Vec<_>>()
    );
    assert_eq!(after[0].at, at(START));
    let last = rig.ask(reads.last_event()).unwrap();
    assert!(
        last >= found[0].id
            && rig
                .ask(reads.events_after(&farm, last, 9))
                .unwrap()
                .is_empty()
    );
}

fn lives(rig: &Rig) {
    use CommandState::{Acked, Confirmed, Failed, Queued, Sent, Superseded};
    let states = |id: &str, states: &[CommandState]| {
        states
            .iter()
            .map(|s| life("f", id, START, *s))
            .collect::<Vec<_>>()
    };
    // States before the entry, with it and after it; of several in one hand-over the last counts.
    rig.told(Write::Lives(states("c1", &[Queued])));
    rig.told(Write::Lives(states(
        "c2",
        &[Queued, Sent, Acked, Superseded],
    )));
    rig.fold(|f| {
        f.log
            .push(logged("f", entry(START, ["fan", "", ""], &["c1", "c2"])));
        f.log
            .push(logged("f", entry(START, ["fan", "", ""], &["c3"])));
        f.log
            .push(logged("f", entry(START, ["fan", "", ""], &["c4"])));
        f.log.push(logged("f", entry(START, ["fan", "", ""], &[])));
    });
    let results = || -> Vec<LogResult> {
        let found = page(rig, "f", first(9));
        found.entries.iter().rev().map(|e| e.result).collect()
    };
    let pending = LogResult::Pending;
    assert_eq!(results(), [pending, pending, pending, LogResult::Success]);
    let more = [
        states("c1", &[Sent, Confirmed]),
        states("c3", &[Failed]),
        states("c4", &[Queued, Sent]),
    ];
    rig.told(Write::Lives(more.concat()));
    assert_eq!(
        results(),
        [
            LogResult::Success,
            LogResult::Failure,
            pending,
            LogResult::Success
        ]
    );
    let found = page(rig, "f", first(9));
    let told: Vec<_> = found.entries[3]
        .states
        .iter()
        .map(|s| (s.command_id.as_str(), s.state))
        .collect();
    assert_eq!(told, [("c1", Confirmed), ("c2", Acked)]);
    let farm = FarmId::from("f");
    let ask = |filter| rig.ask(rig.store().commands(&farm, filter)).unwrap().items;
    let ids = |filter| {
        ask(filter)
            .into_iter()
            .map(|l| l.command_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(CommandFilter::default()), ["c4", "c3", "c2", "c1"]);
    let superseded = CommandFilter {
        state: Some(Superseded),
        ..CommandFilter::default()
    };
    assert_eq!(ids(superseded), ["c2"]);
    let newest = CommandFilter {
        limit: 1,
        device: Some("fan".into()),
        ..CommandFilter::default()
    };
    assert_eq!(ids(newest), ["c4"]);
    let vent = CommandFilter {
        device: Some("vent".into()),
        ..CommandFilter::default()
    };
    assert_eq!(ids(vent), Vec::<String>::new());
    let later = CommandFilter {
        from: Some(at(START + 1)),
        ..CommandFilter::default()
    };
    assert_eq!(ids(later), Vec::<String>::new());
    let one = rig.ask(rig.store().command(&farm, "c1")).unwrap();
    assert_eq!(one, Some(life("f", "c1", START, Confirmed)));
}

fn recovered(rig: &Rig) {
    rig.told(Write::Lives(vec![life(
        "f",
        "c1",
        START,
        CommandState::Acked,
    )]));
    rig.fold(|f| {
        for id in ["c1", "c2"] {
            let mut row = logged("f", entry(START, ["fan", "", ""], &[id]));
            row.recovered = true;
            f.log.push(row);
        }
    });
    let found = page(rig, "f", first(9));
    let results: Vec<_> = found.entries.iter().rev().map(|e| e.result).collect();
    assert_eq!(results, [LogResult::Success, LogResult::Failure]);
    assert_eq!(found.entries[0].states[0].state, CommandState::TimedOut);
}

/// Random entries, and random filters on them, compared with a list.
fn pages(rig: &Rig) {
    let mut dice = dice();
    let names = ["Fan", "fan 2", "Vänt", "VENT", "pump%", "_"];
    let mut all: Vec<(i64, NewLogEntry)> = Vec::new();
    for _ in 0..6 {
        rig.fold(|f| {
            for _ in 0..40 {
                let n = i64::try_from(all.len()).unwrap();
                let picked = [0, 1, 2].map(|_| names[dice.below(names.len())]);
                let ms = START - i64::try_from(dice.below(50)).unwrap();
                let mut e = entry(ms, picked, &[]);
                e.log_type = LogType::ALL[dice.below(LogType::ALL.len())];
                e.result = LogResult::ALL[dice.below(2)];
                e.body.fact("n", n);
                f.log.push(logged("f", e.clone()));
                f.log.push(logged("g", entry(ms, picked, &[])));
                all.push((n, e));
            }
        });
    }
    // Newest first; of one instant the one that was told last.
    all.sort_by_key(|(n, e)| std::cmp::Reverse((e.at, *n)));
    for _ in 0..60 {
        let maybe = |dice: &mut Dice| dice.below(3) == 0;
        let word =
            |dice: &mut Dice| ["FAN", "vänt", "%", "_", "nobody", ""][dice.below(6)].to_owned();
        let ms = |dice: &mut Dice| at(START - i64::try_from(dice.below(50)).unwrap());
        let filter = LogFilter {
            log_type: maybe(&mut dice).then(|| LogType::ALL[dice.below(6)]),
            result: maybe(&mut dice).then(|| LogResult::ALL[dice.below(2)]),
            device: maybe(&mut dice).then(|| word(&mut dice)),
            controllers: { maybe(&mut dice).then(|| names[dice.below(names.len())].to_owned()) }
                .into_iter()
                .collect(),
            user: maybe(&mut dice).then(|| word(&mut dice)),
            from: maybe(&mut dice).then(|| ms(&mut dice)),
            to: maybe(&mut dice).then(|| ms(&mut dice)),
            skip: dice.below(60) as u64,
            take: 1 + dice.below(30),
        };
        let has = |word: &Option<String>, of: [&Option<crate::log::Named>; 2]| {
            let word = word.as_ref().map(|w| w.to_lowercase());
            let name = |n: &Option<crate::log::Named>| n.as_ref().unwrap().name.to_lowercase();
            word.is_none_or(|w| of.iter().any(|n| name(n).contains(&w)))
        };
        let is_controller = |device: &Option<crate::log::Named>| {
            let name = device.as_ref().unwrap().name.to_lowercase();
            { filter.controllers.iter() }.any(|mac| name.contains(&mac.to_lowercase()))
        };
        let matches = |e: &NewLogEntry| {
            filter.log_type.is_none_or(|t| t == e.log_type)
                && filter.result.is_none_or(|r| r == e.result)
                && (has(&filter.device, [&e.body.device, &e.body.rule])
                    || is_controller(&e.body.device))
                && has(&filter.user, [&e.body.user, &e.body.user])
                && filter.from.is_none_or(|t| e.at >= t)
                && filter.to.is_none_or(|t| e.at <= t)
        };
        let wanted: Vec<i64> = all
            .iter()
            .filter(|(_, e)| matches(e))
            .map(|(n, _)| *n)
            .collect();
        let found = page(rig, "f", filter.clone());
        assert_eq!(
            (found.total, found.matching),
            (240, wanted.len() as u64),
            "{filter:?}"
        );
        let numbers: Vec<i64> = found
            .entries
            .iter()
            .map(|e| e.body.facts["n"].as_i64().unwrap())
            .collect();
        let skip = usize::try_from(filter.skip).unwrap();
        let expected: Vec<i64> = wanted.into_iter().skip(skip).take(filter.take).collect();
        assert_eq!(numbers, expected, "{filter:?}");
    }
    assert_eq!(page(rig, "f", first(MAX_PAGE + 30)).entries.len(), MAX_PAGE);
}

fn imported(rig: &Rig) {
    let import = |from: i64, to: i64| {
        let one = |n: i64| {
            (
                n,
                (n % 3 != 0).then(|| entry(START + n, ["fan", "", ""], &[])),
            )
        };
        rig.told(Write::Imported(Imported {
            farm: "f".into(),
            source: "audit",
            entries: (from..=to).map(one).collect(),
        }));
    };
    let farm = FarmId::from("f");
    let position = || rig.ask(rig.store().log_position(&farm, "audit")).unwrap();
    assert_eq!(position(), 0);
    import(1, 6);
    import(4, 9);
    assert_eq!(position(), 9);
    rig.abandon();
    import(1, 9);
    assert_eq!((position(), page(rig, "f", first(50)).total), (9, 6));
    assert_eq!(
        rig.ask(rig.store().log_position(&farm, "other")).unwrap(),
        0
    );
}

fn reports(rig: &Rig) {
    rig.fold(|f| {
        for (ms, on) in [
            (0, Some(true)),
            (10, Some(false)),
            (20, None),
            (30, Some(true)),
        ] {
            f.reported.push(report("f", "fan", START + ms, on));
            f.reported.push(report("g", "fan", START + ms, Some(false)));
        }
        // Of one instant the last counts.
        f.reported.push(report("f", "fan", START + 30, Some(false)));
    });
    let ask = |from: i64, to: i64| {
        let (farm, fan) = ("f".into(), "fan".into());
        let store = rig.store();
        let asked = store
            .reads()
            .reports(&farm, &fan, at(START + from), at(START + to));
        let found = rig.ask(asked).unwrap();
        found
            .iter()
            .map(|r| (r.at.as_millis() - START, r.on))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ask(10, 30),
        [(0, Some(true)), (10, Some(false)), (20, None)]
    );
    assert_eq!(ask(31, 99), [(30, Some(false))]);
    assert_eq!(ask(-9, 0), []);
    rig.fold(|f| {
        let n = i64::try_from(MAX_LISTED).unwrap() + 5;
        f.reported
            .extend((0..n).map(|ms| report("f", "fan", START + 100 + ms, Some(ms % 2 == 0))));
    });
    let many = ask(0, 9_999_999);
    assert_eq!((many.len(), many[0].0), (MAX_LISTED, 105));
}

fn texts(rig: &Rig) {
    for (n, text) in ["a'b\"c\\", "फ़ार्म 🌱", "{1,2}", "NULL", "a\nb\tc", "x\0y"]
        .into_iter()
        .enumerate()
    {
        let id = format!("c{n}");
        rig.fold(|f| {
            f.rollups.push(super::rig::reading(text, text, START, 1));
            f.reported.push(report(text, text, START, Some(true)));
            f.log
                .push(logged(text, entry(START, [text, text, text], &[&id])));
        });
        let mut told = life(text, &id, START, CommandState::Failed);
        told.message = Some(text.to_owned());
        rig.told(Write::Lives(vec![told.clone()]));
        let found = page(
            rig,
            text,
            LogFilter {
                device: Some(text.to_uppercase()),
                ..first(9)
            },
        );
        assert_eq!((found.total, found.matching), (1, 1), "{text:?}");
        let entry = &found.entries[0];
        assert_eq!(entry.body.device.as_ref().unwrap().name, text);
        let message = entry.states[0].message.clone().unwrap();
        assert!(
            message == text || message == text.replace('\0', "\u{fffd}"),
            "{message:?}"
        );
        let farm = FarmId::from(text);
        let life = rig.ask(rig.store().command(&farm, &id)).unwrap();
        assert_eq!(life, Some(told));
        let (store, sensor) = (rig.store(), text.into());
        let points = store
            .reads()
            .rollups(&farm, &sensor, at(START), at(START + 1), 60);
        assert_eq!(rig.ask(points).unwrap().len(), 1, "{text:?}");
    }
}

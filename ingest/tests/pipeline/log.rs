//! The automation log: an entry a happening, once, whatever happens to the process; what becomes of its commands.

use std::sync::atomic::Ordering;

use harit_engine::{DeviceId, InputKind, Lock, LockKind, Owner, Status, Timestamp};
use harit_ingest::log::{
    LogBody, LogFilter, LogKind, LogPage, LogResult, LogType, Named, NewLogEntry,
};
use harit_ingest::{CommandState, HubConfig};

use crate::world::{FARM, MAC, START, World, tell_lock};

async fn log(w: &World, filter: LogFilter) -> LogPage {
    w.hub.log(&FARM.into(), filter).await.unwrap()
}

fn all() -> LogFilter {
    LogFilter {
        take: 100,
        ..LogFilter::default()
    }
}

fn kinds(page: &LogPage) -> Vec<LogKind> {
    page.entries.iter().map(|e| e.body.kind).collect()
}

#[tokio::test]
async fn a_rules_run_is_told_once_also_over_crashes_and_with_its_commands_result() {
    let mut w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    let page = log(&w, all()).await;
    assert_eq!(
        kinds(&page),
        [LogKind::RuleFired, LogKind::ControllerOnline]
    );
    let fired = &page.entries[0];
    assert_eq!(
        (fired.result, fired.log_type),
        (LogResult::Pending, LogType::RuleTrigger)
    );
    assert_eq!(fired.body.rule, Some(Named::new("cool", "Cool the house")));
    assert_eq!(fired.body.orders[0].command_id, "f1-1");
    w.ack("f1-1").await;
    let page = log(&w, all()).await;
    assert_eq!(page.entries[0].result, LogResult::Success);
    assert_eq!(page.entries[0].states[0].state, CommandState::Acked);

    // the journal is folded again from the beginning: nothing is told twice
    for _ in 0..2 {
        w = w.after_crash(|_| {}).await.unwrap();
    }
    let again = log(&w, all()).await;
    assert_eq!(again.total, again.entries.len() as u64);
    assert_eq!(
        again
            .entries
            .iter()
            .filter(|e| e.body.kind == LogKind::RuleFired)
            .collect::<Vec<_>>(),
        [&page.entries[0]],
        "acked stays acked"
    );
    // what is sent anew after a restart is an entry of its own, and the one before the second crash is not pending for ever
    let resent: Vec<_> = again
        .entries
        .iter()
        .filter(|e| e.body.kind == LogKind::RuleCommand)
        .map(|e| e.result)
        .collect();
    assert_eq!(resent, [LogResult::Pending, LogResult::Failure]);
}

#[tokio::test]
async fn an_outage_is_told_once_with_the_holds_that_went_on_and_were_lost() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.temperature("35").await;
    let since = w.now();
    w.hub.clone().shutdown().await.unwrap();
    // short: the reading is fresh still; long: it is not
    w.clock.0.fetch_add(60_000, Ordering::SeqCst);
    let short = w.after_crash(|_| {}).await.unwrap();
    w.clock.0.fetch_add(3_600_000, Ordering::SeqCst);
    let long = w.after_crash(|_| {}).await.unwrap();
    for (w, fact, seconds) in [(short, "heldOn", 60), (long, "holdsLost", 3_660)] {
        let page = log(&w, all()).await;
        let told: Vec<_> = { page.entries.iter() }
            .filter(|e| e.body.kind == LogKind::Resumed)
            .collect();
        let [resumed] = told[..] else {
            panic!("{told:?}")
        };
        assert_eq!(resumed.at, Timestamp::from_millis(since + seconds * 1_000));
        let facts = &resumed.body.facts;
        assert_eq!(
            (&facts["since"], &facts["durationSec"]),
            (&serde_json::json!(since), &serde_json::json!(seconds))
        );
        let rules = serde_json::json!([{"id": "cool", "name": "Cool the house"}]);
        assert_eq!(facts.get(fact), Some(&rules), "{facts:?}");
        assert_eq!(facts.len(), 3, "{facts:?}");
    }
}

#[tokio::test]
async fn a_rules_run_says_what_its_conditions_saw() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.temperature("22").await;
    w.pass(1_000).await;
    w.temperature("21.5").await;
    let page = log(&w, all()).await;
    let seen: Vec<_> = { page.entries.iter() }
        .filter(|e| e.body.rule.is_some())
        .map(|e| (e.body.kind, e.body.facts.get("reading").cloned()))
        .collect();
    let reading = |value: f64| {
        Some(serde_json::json!({"sensorType": "temperature", "value": value, "sensors": 1}))
    };
    assert_eq!(
        seen,
        [
            (LogKind::RuleStopped, reading(21.5)),
            (LogKind::RuleFired, reading(35.5))
        ]
    );
}

#[tokio::test]
async fn what_the_store_lost_the_journal_gives_again() {
    let mut w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    let before = log(&w, all()).await;
    let lost = w.dir.path().join("history.db");
    let kept = tempfile::tempdir().unwrap();
    crate::world::copy_dir(w.dir.path(), kept.path());
    for suffix in ["", "-wal"] {
        let file = kept.path().join(format!(
            "{}{suffix}",
            lost.file_name().unwrap().to_string_lossy()
        ));
        if file.exists() {
            std::fs::remove_file(file).unwrap();
        }
    }
    w = World::open(kept, w.clock.clone(), w.records.clone(), |_| {})
        .await
        .unwrap();
    let after = log(&w, all()).await;
    let told = |page: &LogPage| -> Vec<_> {
        // that the server was off between them is the restart's own
        let of_restart = [LogKind::RuleCommand, LogKind::Resumed];
        let known = |e: &&harit_ingest::log::LogEntry| !of_restart.contains(&e.body.kind);
        let entries = page.entries.iter().filter(known);
        entries.map(|e| (e.at, e.body.clone())).collect()
    };
    assert_eq!(told(&after), told(&before));
    // who answered is not known any more
    let fired = after
        .entries
        .iter()
        .find(|e| e.body.kind == LogKind::RuleFired)
        .unwrap();
    assert_eq!(fired.result, LogResult::Failure);
}

#[tokio::test]
async fn a_persons_lock_and_unlock_say_who_and_why() {
    let w = World::new().await;
    w.birth().await;
    let owner = Owner {
        user_id: "u-1".into(),
        name: "Asha".into(),
        reason: Some("the door is closed".into()),
    };
    for lock in [
        Lock::Engage {
            kind: LockKind::Person,
            reason: "door open".into(),
        },
        Lock::OpenAll,
    ] {
        let status = Status {
            lock: Some(lock),
            owner: Some(owner.clone().into()),
            ..Status::default()
        };
        let device = DeviceId::from("fan-1");
        w.admit(InputKind::Status { device, status }).await;
    }
    let w = w.after_crash(|_| {}).await.unwrap();
    let filter = LogFilter {
        log_type: Some(LogType::SafetyOverride),
        user: Some("ASH".into()),
        device: Some("fan".into()),
        ..all()
    };
    let page = log(&w, filter).await;
    assert_eq!(kinds(&page), [LogKind::Unlocked, LogKind::Locked]);
    assert_eq!(page.entries[0].body.facts["reason"], "the door is closed");
    // with the controller's coming, and the restart
    assert_eq!(
        (page.matching, page.total),
        (2, page.entries.len() as u64 + 2)
    );
}

#[tokio::test]
async fn a_controller_that_goes_is_one_entry_that_its_devices_find() {
    let w = World::new().await;
    w.birth().await;
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    let filter = LogFilter {
        device: Some("FAN-1".into()),
        log_type: Some(LogType::DeviceOffline),
        ..all()
    };
    let page = log(&w, filter).await;
    assert_eq!(
        kinds(&page),
        [LogKind::ControllerOffline, LogKind::ControllerOnline]
    );
    assert_eq!(page.entries[0].body.device, Some(Named::new(MAC, "")));

    // and what its devices did has a gap from then on
    let history = w.hub.history();
    w.hub.flush_history().await;
    let reports = history
        .reports(
            &FARM.into(),
            &"fan-1".into(),
            Timestamp::from_millis(START - 1),
            Timestamp::from_millis(START + 1_000),
        )
        .await
        .unwrap();
    let states: Vec<_> = reports.iter().map(|r| r.on).collect();
    assert_eq!(states.last(), Some(&None), "{reports:?}");
}

fn record(n: i64) -> NewLogEntry {
    let mut body = LogBody::new(LogKind::Record);
    body.user = Some(Named::new(
        format!("u-{}", n % 7),
        format!("Person {}", n % 7),
    ));
    body.rule =
        (n % 3 == 0).then(|| Named::new(format!("r-{}", n % 11), format!("Rule {}", n % 11)));
    body.device = Some(Named::new(
        format!("d-{}", n % 40),
        format!("Device {}", n % 40),
    ));
    NewLogEntry {
        at: Timestamp::from_millis(START + n * 1_000),
        log_type: LogType::ALL[usize::try_from(n).unwrap() % LogType::ALL.len()],
        result: LogResult::ALL[usize::try_from(n).unwrap() % 2],
        body,
        also: Vec::new(),
    }
}

#[tokio::test]
async fn what_is_imported_of_an_instant_comes_after_what_was_applied_in_it() {
    let w = World::new().await;
    w.birth().await;
    let lock = Lock::Engage {
        kind: LockKind::Person,
        reason: "door open".into(),
    };
    tell_lock(&w, lock).await;
    let farm = FARM.into();
    let now = w.hub.read(&farm, |engine| engine.clock()).await.unwrap();
    let entry = NewLogEntry {
        at: now.unwrap(),
        ..record(1)
    };
    w.hub
        .import_log(&farm, "audit", vec![(1, Some(entry))])
        .await;
    let page = log(&w, all()).await;
    assert!(page.entries.iter().all(|e| Some(e.at) == now), "{page:?}");
    assert_eq!(
        kinds(&page),
        [LogKind::Record, LogKind::Locked, LogKind::ControllerOnline]
    );
}

#[tokio::test]
async fn what_is_imported_is_imported_once_and_a_long_log_is_bounded_by_its_days() {
    let mut w = World::empty(|c: &mut HubConfig| c.history_days = 1).await;
    w.hub.add_farm(crate::world::farm()).await.unwrap();
    let farm = FARM.into();
    assert_eq!(w.hub.log_position(&farm, "audit").await.unwrap(), 0);
    let batch = |from: i64, to: i64| -> Vec<_> {
        (from..to)
            .map(|n| (n, (n % 5 != 0).then(|| record(n))))
            .collect()
    };
    w.hub.import_log(&farm, "audit", batch(1, 61)).await;
    w.hub.import_log(&farm, "audit", batch(41, 101)).await;
    w.hub.import_log(&farm, "audit", batch(1, 101)).await;
    assert_eq!(w.hub.log_position(&farm, "audit").await.unwrap(), 100);
    let page = log(&w, LogFilter { skip: 70, ..all() }).await;
    assert_eq!(
        (page.total, page.matching, page.entries.len()),
        (80, 80, 10)
    );
    // by every filter, against a count by hand
    for (filter, matches) in [
        (
            LogFilter {
                log_type: Some(LogType::RuleDeploy),
                ..all()
            },
            (|n| n % 6 == 2) as fn(i64) -> bool,
        ),
        (
            LogFilter {
                result: Some(LogResult::Failure),
                ..all()
            },
            |n| n % 2 == 1,
        ),
        (
            LogFilter {
                user: Some("person 3".into()),
                ..all()
            },
            |n| n % 7 == 3,
        ),
        (
            LogFilter {
                device: Some("RULE 4".into()),
                ..all()
            },
            |n| n % 3 == 0 && n % 11 == 4,
        ),
        (
            LogFilter {
                device: Some("e 4".into()),
                ..all()
            },
            |n| n % 40 == 4 || (n % 3 == 0 && n % 11 == 4),
        ),
        (
            LogFilter {
                from: Some(Timestamp::from_millis(START + 10_000)),
                to: Some(Timestamp::from_millis(START + 20_000)),
                ..all()
            },
            |n| (10..=20).contains(&n),
        ),
    ] {
        let expected = (1..=100).filter(|n| n % 5 != 0 && matches(*n)).count();
        let page = log(&w, filter.clone()).await;
        assert_eq!(
            (page.matching, page.entries.len()),
            (expected as u64, expected),
            "{filter:?}"
        );
        assert!(page.entries.is_sorted_by(|a, b| a.at > b.at), "{filter:?}");
    }

    // the sweep of the next start, two days later
    w.pass(2 * 86_400_000).await;
    w = w.after_crash(|c| c.history_days = 1).await.unwrap();
    for _ in 0..50 {
        w.admit(InputKind::Tick).await;
        if log(&w, all()).await.total == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(log(&w, all()).await, LogPage::default());
    assert_eq!(w.hub.log_position(&farm, "audit").await.unwrap(), 100);
    w.hub.import_log(&farm, "audit", batch(90, 101)).await;
    assert_eq!(log(&w, all()).await.total, 0, "what was swept stays away");
}

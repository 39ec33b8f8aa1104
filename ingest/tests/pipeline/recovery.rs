//! Durable before acknowledged, and the same again after a crash.

use std::sync::Arc;
use std::time::Duration;

use harit_engine::{Engine, Input, InputKind, Timestamp};
use harit_ingest::past::shard_journals;
use harit_ingest::{AdmitError, Archived, OpenError};
use harit_journal::JournalFiles;
use serde_json::json;

use super::incident::replayed;
use crate::world::{FARM, MAC, World, copy_dir, fan_says, farm};

#[tokio::test]
async fn what_is_acknowledged_is_durable() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("23.5").await;
    let again = w.after_crash(|_| {}).await.unwrap();
    let value = again.read(|e| e.sensors().next().unwrap().value).await;
    assert_eq!(value.unwrap().to_string(), "23.5");
}

#[tokio::test]
async fn a_crash_anywhere_leads_to_the_same_state_and_ids() {
    let w = World::new().await;
    let mut first_command = None;
    for step in 0..8 {
        match step {
            0 => w.birth().await,
            1 => w.cooling_rule().await,
            2 => w.heat().await,
            3 => w.ack("f1-1").await,
            4 => w.hub.snapshot().await,
            5 => w.temperature("20").await,
            6 => w.pass(1_000).await,
            _ => w.temperature("20").await,
        }
        for sent in w.take_sent() {
            first_command.get_or_insert(sent["command_id"].clone());
        }
        let before = w.read(Engine::snapshot).await;
        let crashed = w.after_crash(|_| {}).await.unwrap();
        // The same as the engine that was not interrupted, told that it was.
        let mut expected = Engine::restore(&before).unwrap();
        let mut events = vec![];
        let resumed = Input {
            at: Timestamp::from_millis(w.now()),
            kind: InputKind::Resumed,
        };
        expected.apply(&resumed, &mut events).unwrap();
        let after = crashed.read(Engine::snapshot).await;
        assert_eq!(
            String::from_utf8(after),
            String::from_utf8(expected.snapshot()),
            "step {step}"
        );
        // And what the restart sends is what `Resumed` says: nothing of before goes out again.
        crashed.pass(0).await;
        let sent: Vec<_> = crashed
            .take_sent()
            .into_iter()
            .map(|s| s["command_id"].clone())
            .collect();
        let said: Vec<_> = events
            .iter()
            .map(|e| serde_json::to_value(e).unwrap())
            .filter(|e| e["event"] == "command")
            .map(|e| e["command_id"].clone())
            .collect();
        assert_eq!(sent, said, "step {step}");
    }
    assert_eq!(first_command, Some(json!("f1-1")));
}

#[tokio::test]
async fn a_hold_goes_on_over_a_restart() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.temperature("35").await;
    w.pass(1_000).await;
    w.temperature("35").await;
    let again = w.after_crash(|_| {}).await.unwrap();
    again.pass(1_500).await;
    assert_eq!(again.take_sent().len(), 0, "no evidence since the restart");
    again.temperature("35").await;
    assert_eq!(again.take_sent()[0]["command_id"], "f1-1");
}

#[tokio::test]
async fn a_clean_stop_and_start() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("23.5").await;
    let (records, clock) = (w.records.clone(), w.clock.clone());
    let before = w.read(|e| e.document()).await;
    tokio::time::timeout(Duration::from_secs(5), w.hub.clone().shutdown())
        .await
        .unwrap()
        .unwrap();
    assert!(matches!(
        w.hub.admit(&FARM.into(), InputKind::Tick).await,
        Err(AdmitError::Unavailable(_))
    ));
    let receipt = w.receive(World::batch(MAC, "telemetry", &["{}"])).await;
    assert!(
        receipt.await.is_err(),
        "a closed pipeline acknowledges nothing"
    );
    let copy = tempfile::tempdir().unwrap();
    copy_dir(w.dir.path(), copy.path());
    let again = World::open(copy, clock, records, |_| {}).await.unwrap();
    assert_eq!(again.read(|e| e.document()).await, before);
    let c = again.hub.controllers(&FARM.into()).await.unwrap().remove(0);
    assert_eq!((c.firmware.as_deref(), c.online), (Some("1.0"), true));
    assert_eq!(c.devices[0].reported.map(|r| r.on), Some(false));
}

#[tokio::test]
async fn a_damaged_journal_is_an_error_and_never_an_empty_farm() {
    let w = World::new().await;
    w.birth().await;
    for _ in 0..5 {
        w.temperature("20").await;
        w.pass(10).await;
    }
    w.hub.clone().shutdown().await.unwrap();
    let damage = |sql: &str| {
        let copy = tempfile::tempdir().unwrap();
        copy_dir(w.dir.path(), copy.path());
        let db = rusqlite::Connection::open(copy.path().join("journal/000001/shard-0.db")).unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        World::open(copy, w.clock.clone(), w.records.clone(), |_| {})
    };
    let no_snapshot = "DELETE FROM snapshot;";
    assert!(
        damage(no_snapshot).await.is_ok(),
        "the journal alone has everything"
    );
    for sql in [
        "DELETE FROM batch WHERE seq = (SELECT max(seq) FROM batch)",
        "UPDATE batch SET body = substr(body, 1, 5) WHERE seq = 3",
        "DELETE FROM batch WHERE seq = 3",
        "UPDATE batch SET body = x'' WHERE seq = (SELECT max(seq) FROM batch)",
        "DROP TABLE batch",
    ] {
        let Err(e) = damage(&format!("{no_snapshot}{sql}")).await else {
            panic!("{sql}")
        };
        assert!(matches!(e, OpenError::Journal(_)), "{sql}: {e}");
    }
    // A damaged snapshot is passed over while the journal has everything.
    assert!(damage("UPDATE snapshot SET body = x'00'").await.is_ok());
    let gone = tempfile::tempdir().unwrap();
    copy_dir(w.dir.path(), gone.path());
    std::fs::remove_file(gone.path().join("journal/000001/shard-0.db")).unwrap();
    let e = World::open(gone, w.clock.clone(), w.records.clone(), |_| {})
        .await
        .err()
        .unwrap();
    assert!(matches!(e, OpenError::Journal(_)), "{e}");
}

#[tokio::test]
async fn one_data_directory_has_one_server() {
    let w = World::new().await;
    let mut config = harit_ingest::HubConfig::new(w.dir.path());
    config.clock = w.clock.clone();
    let e = harit_ingest::Hub::open(config, w.records.clone())
        .await
        .err()
        .unwrap();
    assert!(matches!(e, OpenError::Locked(_)), "{e}");
}

#[tokio::test]
async fn another_number_of_shards_moves_the_farms() {
    let w = World::empty(|_| {}).await;
    for i in 0..10 {
        let mut doc = farm();
        doc.farm.id = harit_engine::FarmId::new(format!("f{i}"));
        w.hub.add_farm(doc).await.unwrap();
    }
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    let more = w.after_crash(|c| c.shards = 3).await.unwrap();
    assert_eq!(more.hub.farms().len(), 10);
    more.temperature("36").await;
    more.hub.flush_history().await;
    let fewer = more.after_crash(|c| c.shards = 2).await.unwrap();
    assert_eq!(fewer.hub.farms(), w.hub.farms());
    fewer.temperature("37").await;
    assert_eq!(
        fewer
            .read(|e| (e.counters().readings, e.rule("cool").is_some()))
            .await,
        (4, true)
    );
    fewer.hub.flush_history().await;
    let from = Timestamp::from_millis(w.now() - 60_000);
    let to = Timestamp::from_millis(w.now() + 60_000);
    let all = fewer
        .hub
        .history()
        .rollups(&FARM.into(), &"t1".into(), from, to, 60)
        .await
        .unwrap();
    assert_eq!(
        all.iter().map(|r| r.count).sum::<u64>(),
        4,
        "each reading once"
    );
    let replayed = replayed(fewer.dir.path());
    assert!(!replayed.has_past, "the journal of before is still there");
    replayed.is_as_in(&fewer).await;
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_stops_acks_and_pushes_back() {
    let w = World::new().await;
    w.birth().await;
    assert!(w.hub.health().journal_writable);
    // Another process holds the file, as a full disk would.
    let db = rusqlite::Connection::open(w.dir.path().join("journal/000001/shard-0.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    let reading = r#"{"sensors":[{"id":"t1","latestValue":20}]}"#;
    let mut first = w.receive(World::batch(MAC, "telemetry", &[reading])).await;
    assert!(
        tokio::time::timeout(Duration::from_secs(2), &mut first)
            .await
            .is_err(),
        "not durable, not acknowledged"
    );
    assert!(!w.hub.health().journal_writable);
    assert!(matches!(
        w.hub.admit(&FARM.into(), InputKind::Tick).await,
        Err(AdmitError::Unavailable(_))
    ));
    // Questions are answered meanwhile, and what comes in is bounded.
    assert_eq!(w.read(|e| e.counters().readings).await, 0);
    let large = format!(r#"{{"sensors":[],"x":"{}"}}"#, "x".repeat(200_000));
    let payloads = vec![large.as_str(); 10];
    let mut taken = 0;
    let full = tokio::time::timeout(Duration::from_secs(3), async {
        loop {
            drop(w.receive(World::batch(MAC, "telemetry", &payloads)).await);
            taken += 1;
        }
    });
    assert!(full.await.is_err());
    assert!((1..=4).contains(&taken), "{taken} batches of 2 MB");
    db.execute_batch("ROLLBACK").unwrap();
    tokio::time::timeout(Duration::from_secs(10), first)
        .await
        .unwrap()
        .unwrap();
    assert!(w.hub.health().journal_writable);
    assert_eq!(w.read(|e| e.counters().readings).await, 1);
}

/// A full disk must not stop a fan. A journal elsewhere may be another server's by then, which may want it off.
#[tokio::test]
async fn leases_are_renewed_without_a_journal_unless_another_server_may_have_it() {
    for is_elsewhere in [false, true] {
        let w = World::empty(|config| {
            let files = JournalFiles::of(&config.data_dir);
            config.journals = is_elsewhere.then(|| Arc::new(files) as _);
        })
        .await;
        w.hub.add_farm(farm()).await.unwrap();
        w.birth().await;
        w.cooling_rule().await;
        w.heat().await;
        w.ack("f1-1").await;
        fan_says(&w, true).await;
        let file = w.dir.path().join("journal/000001/shard-0.db");
        let db = rusqlite::Connection::open(file).unwrap();
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        let reading = r#"{"sensors":[{"id":"t1","latestValue":35}]}"#;
        let waits = w.receive(World::batch(MAC, "telemetry", &[reading])).await;
        w.take_sent();
        for _ in 0..3 {
            w.pass(61_000).await;
        }
        let sent = w.take_sent();
        let renewed = sent.iter().any(|body| body["cmd_type"] == "renew");
        assert_eq!(renewed, !is_elsewhere, "{sent:?}");
        db.execute_batch("ROLLBACK").unwrap();
        drop(waits);
    }
}

#[tokio::test]
async fn who_stays_silent_after_a_restart_is_offline() {
    let w = World::new().await;
    w.birth().await;
    let online = |w: &World| {
        let hub = w.hub.clone();
        async move {
            hub.read(&FARM.into(), |e| e.device("fan-1").unwrap().online)
                .await
                .unwrap()
        }
    };
    let again = w.after_crash(|_| {}).await.unwrap();
    again.pass(59_000).await;
    assert!(online(&again).await);
    again.pass(1_000).await;
    assert!(!online(&again).await);
    let again = w.after_crash(|_| {}).await.unwrap();
    again.temperature("20").await;
    again.pass(61_000).await;
    assert!(online(&again).await, "it was heard of");
}

#[tokio::test]
async fn inputs_that_make_no_sense_are_refused_and_not_journaled() {
    let w = World::new().await;
    let rule = json!({"id": "r", "name": "R", "scope": {"type": "farm"}, "deployed": true,
        "trigger": {"sensor_type": "ph", "operator": "gt", "value": 7}, "actions": []});
    let rule = serde_json::from_value(rule).unwrap();
    let e = w
        .hub
        .admit(&FARM.into(), InputKind::RulePut(Box::new(rule)))
        .await
        .unwrap_err();
    assert!(matches!(e, AdmitError::Rejected(_)), "{e}");
    let e = w
        .hub
        .admit(&"nowhere".into(), InputKind::Tick)
        .await
        .unwrap_err();
    assert_eq!(e, AdmitError::UnknownFarm("nowhere".into()));
    assert_eq!(
        w.hub.add_farm(farm()).await,
        Err(AdmitError::FarmExists(FARM.into()))
    );
    let mut lines = vec![];
    harit_ingest::export::export(&JournalFiles::of(w.dir.path()), FARM, &mut lines).unwrap();
    assert_eq!(String::from_utf8(lines).unwrap(), "");
}

#[tokio::test]
async fn the_journal_waits_for_the_archive() {
    let archived = Arc::new(Archived::default());
    let waits = archived.clone();
    let w = World::empty(|c| {
        c.journal_days = 1;
        c.archived = Some(waits);
    })
    .await;
    w.hub.add_farm(farm()).await.unwrap();
    w.birth().await;
    let a_day = || async {
        w.temperature("20").await;
        w.hub.flush_history().await;
        w.hub.snapshot().await;
        w.pass(86_400_000).await;
    };
    let has_past = || {
        let exported = harit_ingest::export::export(
            &JournalFiles::of(w.dir.path()),
            FARM,
            &mut std::io::sink(),
        );
        exported.unwrap().farm.has_past()
    };
    for _ in 0..5 {
        a_day().await;
    }
    assert!(!has_past(), "all of it is there");
    assert!(!archived.take_urgent(), "it has room");
    let journals = shard_journals(&w.hub.journals()).unwrap();
    archived.set(journals[0].generation, journals[0].shard, u64::MAX);
    a_day().await;
    a_day().await;
    assert!(has_past(), "the first days are gone");
}

#[tokio::test]
async fn a_journal_without_room_waits_for_no_archive() {
    let archived = Arc::new(Archived::default());
    let waits = archived.clone();
    let w = World::empty(|c| {
        c.journal_max_bytes = 0;
        c.archived = Some(waits);
    })
    .await;
    w.hub.add_farm(farm()).await.unwrap();
    w.birth().await;
    for _ in 0..4 {
        w.temperature("20").await;
        w.hub.flush_history().await;
        w.hub.snapshot().await;
        w.pass(1_000).await;
    }
    let exported =
        harit_ingest::export::export(&JournalFiles::of(w.dir.path()), FARM, &mut std::io::sink());
    assert!(exported.unwrap().farm.has_past());
}

#[tokio::test]
async fn the_journal_is_kept_for_its_days_and_trimmed_after_them() {
    let w = World::empty(|c| c.journal_days = 2).await;
    w.hub.add_farm(farm()).await.unwrap();
    w.birth().await;
    const DAY: i64 = 86_400_000;
    for _ in 0..6 {
        w.temperature("20").await;
        w.hub.flush_history().await;
        w.hub.snapshot().await;
        w.temperature("21").await;
        w.pass(DAY).await;
    }
    // Once more, so that what is stored by now counts, and a pause to trim in.
    w.hub.flush_history().await;
    w.hub.snapshot().await;
    w.pass(1).await;
    let mut lines = vec![];
    let exported =
        harit_ingest::export::export(&JournalFiles::of(w.dir.path()), FARM, &mut lines).unwrap();
    assert!(exported.farm.has_past(), "the first days are gone");
    replayed(w.dir.path()).is_as_in(&w).await;
    let text = String::from_utf8(lines).unwrap();
    let oldest = text
        .lines()
        .find_map(|l| harit_protocol::jsonl::Line::parse(l).ok())
        .unwrap()
        .at;
    let age = w.now() - oldest.as_millis();
    assert!((2 * DAY..4 * DAY).contains(&age), "{age} ms");
    // What is left is enough to begin with, also without the newest snapshot.
    let before = w.read(|e| e.counters().readings).await;
    let copy = tempfile::tempdir().unwrap();
    copy_dir(w.dir.path(), copy.path());
    let db = rusqlite::Connection::open(copy.path().join("journal/000001/shard-0.db")).unwrap();
    db.execute_batch(
        "UPDATE snapshot SET body = x'00' WHERE seq = (SELECT max(seq) FROM snapshot)",
    )
    .unwrap();
    drop(db);
    let again = World::open(copy, w.clock.clone(), w.records.clone(), |_| {})
        .await
        .unwrap();
    assert_eq!(again.read(|e| e.counters().readings).await, before);
    assert_eq!(before, 12);
}

#[tokio::test]
async fn a_server_that_never_lives_for_long_stores_states_all_the_same() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("20").await;
    let stored = |w: &World| {
        let db = rusqlite::Connection::open(w.dir.path().join("journal/000001/shard-0.db"));
        let seqs = "SELECT seq FROM snapshot ORDER BY seq";
        let db = db.unwrap();
        let mut seqs = db.prepare(seqs).unwrap();
        let seqs = seqs.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        seqs.map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(stored(&w), [0_i64; 0]);
    let second = w.after_crash(|_| {}).await.unwrap();
    second.pass(1_000).await;
    let first_state = stored(&second);
    assert_eq!(first_state.len(), 1, "of before the crash");
    second.temperature("21").await;
    let third = second.after_crash(|_| {}).await.unwrap();
    third.pass(1_000).await;
    third.temperature("22").await;
    assert_eq!(stored(&third), first_state, "that is not long ago");
    third.pass(300_000).await;
    let fourth = third.after_crash(|_| {}).await.unwrap();
    fourth.pass(1_000).await;
    assert_eq!(stored(&fourth).len(), 2, "five minutes after the first");
    let value = fourth.read(|e| e.sensors().next().unwrap().value).await;
    assert_eq!(value.unwrap().to_string(), "22");
}

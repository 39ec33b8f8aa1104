//! What fails is seen, costs a restart from the journal, and holds up nobody else.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_engine::verdict::{Reason, Verdict, What};
use harit_engine::{FarmDocument, Input, InputKind, Owner, ScopeSpec, Stop, StopScope, Timestamp};
use harit_farm::codec::{Encoder, Interned};
use harit_ingest::backup::{FoldFrom, FromElsewhere, copy_pages, fold, integrity};
use harit_ingest::history::HistoryError;
use harit_ingest::log::LogFilter;
use harit_ingest::mqtt::{Batch, Principal, Publish, Refused};
use harit_ingest::{
    AdmitError, CommandFilter, ControllerKind, ControllerRecord, Health, HubConfig, OpenError,
};
use harit_journal::{Journal as _, JournalError, JournalFile, JournalRead as _};
use harit_protocol::Reject;
use serde_json::json;

use crate::world::{FARM, MAC, World, copy_dir, mac, manual};

const OTHER_FARM: &str = "f2";
const BROKEN: &str = "A4CF120B9EFF";

pub(super) async fn until(w: &World, what: &str, wanted: impl Fn(&Health) -> bool) {
    for _ in 0..200 {
        if wanted(&w.hub.health()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not in time: {what}: {:?}", w.hub.health());
}

/// Publishes for a controller of the other farm; none where the receipt was lost.
async fn say(w: &World, payload: &'static str) -> Option<usize> {
    let batch = Batch {
        from: Some(Principal::Controller {
            farm: OTHER_FARM.into(),
            mac: mac(BROKEN),
        }),
        publishes: vec![Publish {
            topic: format!("harit/1/{OTHER_FARM}/{BROKEN}/state").into(),
            payload: payload.as_bytes().into(),
            retain: false,
            oversized: None,
        }],
    };
    let receipt = w.receive(batch).await;
    let taken = tokio::time::timeout(Duration::from_secs(10), receipt).await;
    taken.expect("an end in time").ok().map(|t| t.rejected)
}

#[tokio::test]
async fn a_shard_that_fails_goes_on_from_its_journal_and_the_farm_that_did_it_is_isolated() {
    let w = World::new().await;
    let other = json!({"farm": {"id": OTHER_FARM, "name": "Other"}, "polyhouses": [], "sensors": [], "devices": [], "rules": [], "alerts": []});
    w.hub
        .add_farm(FarmDocument::from_json(&other).unwrap())
        .await
        .unwrap();
    let record = ControllerRecord {
        farm: OTHER_FARM.into(),
        mac: mac(BROKEN),
        kind: ControllerKind::Polyhouse,
        scope: ScopeSpec::farm(),
        enabled: true,
    };
    w.records.0.lock().unwrap().insert(record.mac, record);
    w.birth().await;
    w.temperature("20").await;
    assert_eq!(w.hub.health().shards_down, [0_usize; 0]);

    *w.records.1.lock().unwrap() = Some(mac(BROKEN));
    assert_eq!(say(&w, "{}").await, None, "not acknowledged");
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    assert_eq!(w.hub.health().failed_farms, [], "once is no reason");
    // Nothing is lost, and the neighbour goes on.
    let value = w.read(|e| e.sensor("t1").unwrap().value.is_some()).await;
    assert!(value, "what was acknowledged is there");
    w.temperature("21").await;
    let online = w.hub.controllers(&FARM.into()).await.unwrap();
    assert!(online.iter().any(|c| c.mac == mac(MAC) && c.online));

    assert_eq!(say(&w, "{}").await, None);
    until(&w, "the farm is isolated", |h| {
        h.shards_down.is_empty() && h.failed_farms == [OTHER_FARM.into()]
    })
    .await;
    assert_eq!(say(&w, "{}").await, Some(1), "refused, and the shard lives");
    let told = w.hub.verdict(&OTHER_FARM.into()).await.unwrap();
    let why: Vec<&What> = told.farm.reasons.iter().map(|r| &r.what).collect();
    assert_eq!(
        (told.farm.verdict, why),
        (Verdict::NotKnown, vec![&What::EngineFailed])
    );
    w.temperature("22").await;
    let neighbour = w.hub.verdict(&FARM.into()).await.unwrap();
    let failed = |r: &Reason| r.what == What::EngineFailed;
    assert!(!neighbour.farm.reasons.iter().any(failed), "{neighbour:?}");
    assert!(w.hub.health().shards_down.is_empty());
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_shard_that_cannot_start_again_is_seen() {
    let w = World::new().await;
    w.birth().await;
    w.clock.1.store(true, Ordering::SeqCst);
    until(&w, "the shard is down", |h| h.shards_down == [0]).await;
    assert!(w.hub.health().journal_writable, "that is not what is wrong");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(w.hub.health().shards_down, [0]);
    w.clock.1.store(false, Ordering::SeqCst);
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    w.temperature("20").await;
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn commands_under_way_when_a_shard_fails_are_sent_anew() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(w.state_of("f1-1").await, "sent");
    w.take_sent();
    w.clock.1.store(true, Ordering::SeqCst);
    until(&w, "the shard is down", |h| h.shards_down == [0]).await;
    w.clock.1.store(false, Ordering::SeqCst);
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    let sent = w.take_sent();
    assert_eq!(sent[0]["command_id"], "f1-2", "{sent:?}");
    assert_eq!(w.state_of("f1-1").await, "superseded");
    w.ack("f1-2").await;
    assert_eq!(w.state_of("f1-2").await, "acked");
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_command_that_cannot_be_read_is_none_that_never_was() {
    let w = World::new().await;
    let farm = FARM.into();
    let ask = || w.hub.command(&farm, "f1-9");
    assert!(matches!(ask().await, Ok(None)));
    let db = rusqlite::Connection::open(w.dir.path().join("history.db")).unwrap();
    db.execute_batch("ALTER TABLE command RENAME TO elsewhere")
        .unwrap();
    assert!(matches!(ask().await, Err(HistoryError::Store(_))));
    db.execute_batch("ALTER TABLE elsewhere RENAME TO command")
        .unwrap();
    assert!(matches!(ask().await, Ok(None)));
}

#[tokio::test]
async fn a_history_that_cannot_write_stalls_nobody() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.hub.flush_history().await;
    // Another process holds the file, as a full disk would.
    let db = rusqlite::Connection::open(w.dir.path().join("history.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    w.ack("f1-1").await;
    let page = || LogFilter {
        take: 10,
        ..LogFilter::default()
    };
    let began = Instant::now();
    let pages: Vec<_> = (0..600)
        .map(|_| {
            let (hub, filter) = (w.hub.clone(), page());
            tokio::spawn(async move { hub.log(&FARM.into(), filter).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    // Control, and whoever else needs a thread that may block (a sign-in), go on meanwhile.
    let owner = json!({"user_id": "u1", "name": "Asha"});
    let off = json!({"device": "fan-1", "cmd_type": "override", "action": "off", "duration_sec": 60, "owner": owner});
    let soon = Duration::from_secs(1);
    tokio::time::timeout(soon, w.admit(manual(off)))
        .await
        .expect("off in time");
    let other = tokio::task::spawn_blocking(|| ());
    tokio::time::timeout(soon, other)
        .await
        .expect("a thread in time")
        .unwrap();
    for page in pages {
        let page = page.await.unwrap().expect("what is there");
        assert!(page.incomplete && !page.entries.is_empty());
    }
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    let found = w
        .hub
        .commands(&FARM.into(), CommandFilter::default())
        .await
        .unwrap();
    assert!(found.incomplete && !found.items.is_empty());
    until(&w, "it is seen", |h| !h.history_writable).await;
    assert!(w.hub.health().journal_writable, "and it is not the journal");
    db.execute_batch("ROLLBACK").unwrap();
    until(&w, "it is over", |h| h.history_writable).await;
    let found = w
        .hub
        .commands(&FARM.into(), CommandFilter::default())
        .await
        .unwrap();
    assert_eq!((found.items.len(), found.incomplete), (2, false));
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_farms_dead_letters_are_its_own() {
    let w = World::new().await;
    let sender = |farm: &str| Principal::Controller {
        farm: farm.into(),
        mac: mac(BROKEN),
    };
    let uplink = w.hub.uplink();
    let refuse = |farm: &str, topic: &str, payload: &[u8]| {
        uplink.refused(&Refused {
            reason: Reject::NotAllowed,
            from: Some(&sender(farm)),
            username: BROKEN,
            client_id: "c",
            address: [10, 0, 0, 1].into(),
            topic: Some(topic),
            payload,
            detail: "",
        });
    };
    refuse("quiet", "elsewhere", b"1");
    for round in 0..10 {
        for n in 0..500 {
            refuse("noisy", &format!("x/{round}/{n}"), b"2");
        }
        let noisy = w.hub.dead_letters(&"noisy".into(), 1_000).await.unwrap();
        assert!(noisy.len() <= harit_ingest::dead_letter::MAX_STORED);
    }
    refuse("noisy", "harit/1/quiet/A4CF120B9EFF/state", b"3");
    let quiet = w.hub.dead_letters(&"quiet".into(), 1_000).await.unwrap();
    assert_eq!(
        quiet.len(),
        1,
        "nothing pushed out, nothing written in: {quiet:?}"
    );
    assert_eq!(
        quiet[0].topic,
        format!("harit/1/quiet/{BROKEN} -> elsewhere")
    );
}

/// What a shard does that is no longer the only one to append: what it has is not what the journal says.
#[tokio::test]
async fn a_journal_that_somebody_else_writes_ends_its_shard_without_a_snapshot() {
    for stopping in [false, true] {
        let w = World::new().await;
        w.birth().await;
        let path = w.dir.path().join("journal/000001/shard-0.db");
        let mut other = JournalFile::open(&path).unwrap();
        let at = Timestamp::from_millis(w.now());
        let mut encoder = Encoder::default();
        encoder.begin(at);
        let tick = Input {
            at,
            kind: InputKind::Tick,
        };
        let mut interned = Interned::default();
        encoder.input(&mut interned, FARM, &tick).unwrap();
        let after = other.last();
        let last = other.append(after, at, 1, encoder.body()).unwrap();
        if stopping {
            let owner = Owner {
                user_id: "asha".into(),
                name: "asha".into(),
                reason: None,
            };
            let stop = Stop {
                scope: StopScope::Device("fan-1".into()),
                owner: owner.into(),
            };
            w.take_sent();
            // It gets out all the same, and whoever stopped has to ask again: nobody here records it any more.
            let told = w.hub.stop(&FARM.into(), stop).await;
            assert!(matches!(told, Err(AdmitError::Unavailable(_))), "{told:?}");
            let sent = w.take_sent();
            assert_eq!(sent.len(), 1, "{sent:?}");
            assert_eq!(sent[0]["action"]["on"], false);
        } else {
            let reading = r#"{"sensors":[{"id":"t1","latestValue":20}]}"#;
            let receipt = w.receive(World::batch(MAC, "telemetry", &[reading])).await;
            assert!(receipt.await.is_err(), "it is not acknowledged");
        }
        until(&w, "the shard ends", |h| h.shards_down == [0]).await;
        // Whether or not it says that the journal failed.
        let _ = w.hub.clone().shutdown().await;
        let left = JournalFile::open(&path).unwrap();
        assert_eq!((left.last(), left.snapshots().unwrap()), (last, vec![]));
        let again = w.after_crash(|_| {}).await.unwrap();
        again.temperature("20").await;
    }
}

/// Opens a copy of a data directory, as `change` has changed it.
async fn reopened(
    w: &World,
    from: &std::path::Path,
    change: impl FnOnce(&std::path::Path),
    configure: impl FnOnce(&mut HubConfig),
) -> Result<World, OpenError> {
    let copy = tempfile::tempdir().unwrap();
    copy_dir(from, copy.path());
    change(copy.path());
    World::open(copy, w.clock.clone(), w.records.clone(), configure).await
}

#[tokio::test]
async fn a_journal_that_nothing_points_to_is_refused_and_left_as_it_is() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("20").await;
    let kept = tempfile::tempdir().unwrap();
    copy_dir(w.dir.path(), kept.path());
    let pointer = std::fs::read(kept.path().join("journal/CURRENT")).unwrap();
    std::fs::remove_file(kept.path().join("journal/CURRENT")).unwrap();
    for _ in 0..2 {
        let mut config = HubConfig::new(kept.path());
        config.clock = w.clock.clone();
        let opened = harit_ingest::Hub::open(config, w.records.clone()).await;
        let refused = opened.err().expect("it is refused");
        assert!(
            matches!(&refused, OpenError::Journal(JournalError::NoPointer(_))),
            "{refused:?}"
        );
    }
    std::fs::write(kept.path().join("journal/CURRENT"), pointer).unwrap();
    let again = reopened(&w, kept.path(), |_| {}, |_| {}).await.unwrap();
    assert_eq!(
        again.read(|e| e.counters().readings).await,
        1,
        "all is there"
    );

    // No journal at all, or another one, beside records that have farms.
    let lost = |dir: &std::path::Path| std::fs::remove_dir_all(dir.join("journal")).unwrap();
    let wants = |farm: &'static str| move |c: &mut HubConfig| c.farms = vec![farm.into()];
    let refused = reopened(&w, w.dir.path(), lost, wants(FARM)).await.err();
    assert!(
        matches!(refused, Some(OpenError::FarmMissing(_))),
        "{refused:?}"
    );
    let refused = reopened(&w, w.dir.path(), |_| {}, wants("f9")).await.err();
    assert!(
        matches!(refused, Some(OpenError::FarmMissing(_))),
        "{refused:?}"
    );
    reopened(&w, w.dir.path(), |_| {}, wants(FARM))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_backup_beside_a_running_server_has_everything() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.ack("f1-1").await;
    w.hub.flush_history().await;
    w.hub.snapshot().await;
    w.temperature("31").await;
    let data = w.dir.path();
    std::fs::write(data.join("codes.key"), "secret").unwrap();
    std::fs::write(data.join("codes.new"), "half").unwrap();
    let day = data.join("archive/farm=f1/day=2026-11-24");
    std::fs::create_dir_all(&day).unwrap();
    std::fs::write(data.join("archive/_archived.json"), "{}").unwrap();
    for name in ["readings-1.parquet", ".readings-2.parquet.part"] {
        std::fs::write(day.join(name), "readings").unwrap();
    }
    let out = tempfile::tempdir().unwrap();
    let copied =
        harit_ingest::backup::backup(w.dir.path(), FromElsewhere::default(), out.path()).unwrap();
    assert!(copied.files >= 5, "{copied:?}");
    // What comes later is not in it, nor what is not finished.
    w.temperature("20").await;
    let has = |name: &str| out.path().join(name).exists();
    let day = "archive/farm=f1/day=2026-11-24";
    assert!(has("archive/_archived.json") && has(&format!("{day}/readings-1.parquet")));
    assert!(!has(&format!("{day}/.readings-2.parquet.part")));
    assert!(!has("codes.new") && !has("LOCK"));
    // The state that the server stored on the way, and all of the journal, come to the same.
    let journal = out.path().join("journal/000001/shard-0.db");
    let [newest, oldest] =
        [FoldFrom::Newest, FoldFrom::Oldest].map(|from| fold(&journal, from).unwrap());
    assert!(newest.from > oldest.from, "{newest:?} {oldest:?}");
    assert_eq!((&newest.farms, newest.last), (&oldest.farms, oldest.last));
    assert_eq!(newest.farms.len(), 1);
    let pages = tempfile::tempdir().unwrap();
    let copy = pages.path().join("copy.db");
    copy_pages(
        &w.dir.path().join("journal/000001/shard-0.db"),
        &copy,
        &|| true,
    )
    .unwrap();
    let later = fold(&copy, FoldFrom::Newest).unwrap();
    assert!(later.last > newest.last && later.farms != newest.farms);
    assert_eq!(integrity(&copy).unwrap(), None);
    // A start does not read what lies before its state; folding all of it does.
    let db = rusqlite::Connection::open(&copy).unwrap();
    let damage = "UPDATE batch SET body = x'00' WHERE seq = 2";
    assert_eq!(db.execute(damage, []).unwrap(), 1);
    drop(db);
    assert_eq!(fold(&copy, FoldFrom::Newest).unwrap(), later);
    let damaged = fold(&copy, FoldFrom::Oldest).unwrap_err().to_string();
    assert!(damaged.contains("batch 2"), "{damaged}");
    assert!(
        copy_pages(&copy, &pages.path().join("other.db"), &|| false).is_err(),
        "it was stopped"
    );
    let restored = reopened(&w, out.path(), |_| {}, |c| c.farms = vec![FARM.into()])
        .await
        .unwrap();
    assert_eq!(
        std::fs::read(restored.dir.path().join("codes.key")).unwrap(),
        b"secret"
    );
    assert_eq!(restored.read(|e| e.counters().readings).await, 3);
    assert_eq!(restored.state_of("f1-1").await, "superseded");
    let again = harit_ingest::backup::backup(w.dir.path(), FromElsewhere::default(), out.path());
    assert!(again.is_err(), "not over another one");
    let empty = tempfile::tempdir().unwrap();
    assert!(
        harit_ingest::backup::backup(
            empty.path(),
            FromElsewhere::default(),
            &empty.path().join("x")
        )
        .is_err()
    );
}

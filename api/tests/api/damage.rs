//! Records that are damaged, cut short or missing are refused, or are complete: a server never starts without its people.

use std::fs;
use std::path::Path;

use harit_api::{NewFarm, Records, RecordsError, RecordsPlace, Role, Unsound};
use harit_engine::FarmId;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tempfile::TempDir;

use crate::database::is_postgres;
use crate::support::App;

const FILES: [&str; 5] = [
    "records.db",
    "records.db-wal",
    "codes.key",
    "audit.key",
    "audit.heads",
];

/// What a server leaves that is killed: a file that is nearly empty, and all in the write-ahead log.
async fn left_by_a_crash() -> TempDir {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let assets = json!({"assets": [{"type": "POLYHOUSE", "macid": "AABBCCDDEE01"}]});
    app.call(&owner, Method::POST, "/onboarding/assets", &assets)
        .await
        .expect(StatusCode::CREATED);
    copy(app.dir())
}

fn copy(from: &Path) -> TempDir {
    let to = TempDir::new().expect("a directory");
    for name in FILES {
        if from.join(name).exists() {
            fs::copy(from.join(name), to.path().join(name)).expect("copied");
        }
    }
    to
}

async fn open(dir: &TempDir) -> Result<Records, RecordsError> {
    Records::open(&RecordsPlace::file_in(dir.path())).await
}

async fn refused(dir: &TempDir, what: &str) -> Unsound {
    match open(dir).await {
        Err(RecordsError::Unsound(why)) => why,
        other => panic!("{what}: {:?}", other.map(|_| "it opened")),
    }
}

#[tokio::test]
async fn what_a_crash_leaves_is_complete() {
    if is_postgres() {
        return;
    }
    let left = left_by_a_crash().await;
    let wal = left.path().join("records.db-wal");
    assert!(fs::metadata(&wal).expect("there").len() > 4_096);
    let records = open(&left).await.expect("complete");
    assert!(records.has_farm("a").await.expect("asked"));
    // an orderly end leaves one file that has it all
    records.close().await;
    assert!(!wal.exists());
    let alone = copy(left.path());
    let records = open(&alone).await.expect("complete");
    assert!(records.has_farm("a").await.expect("asked"));
}

#[tokio::test]
async fn a_write_ahead_log_that_is_damaged_or_missing_is_refused() {
    if is_postgres() {
        return;
    }
    let left = left_by_a_crash().await;
    let whole = fs::read(left.path().join("records.db-wal")).expect("there");
    let with = |bytes: Option<Vec<u8>>| {
        let dir = copy(left.path());
        let path = dir.path().join("records.db-wal");
        match bytes {
            Some(bytes) => fs::write(path, bytes).expect("written"),
            None => fs::remove_file(path).expect("removed"),
        }
        dir
    };
    for (what, bytes) in [
        ("missing", None),
        ("empty", Some(Vec::new())),
        ("zeroed", Some(vec![0; whole.len()])),
        ("half", Some(whole[..whole.len() / 2].to_vec())),
    ] {
        let dir = with(bytes);
        let before = fs::read(dir.path().join("records.db-wal")).ok();
        let why = refused(&dir, what).await;
        assert!(matches!(why, Unsound::Behind { .. }), "{what}: {why}");
        assert!(why.to_string().contains("restore"), "{why}");
        // nothing that could still be mended is thrown away
        if before.is_some() {
            assert_eq!(fs::read(dir.path().join("records.db-wal")).ok(), before);
        }
    }
    let mut opened = 0;
    for n in 1..40 {
        let mut bytes = whole.clone();
        let at = bytes.len() * n / 40;
        bytes[at] ^= 1;
        let dir = with(Some(bytes));
        match open(&dir).await {
            Err(RecordsError::Unsound(_)) => {}
            Err(other) => panic!("byte {at}: {other:?}"),
            Ok(records) => {
                // behind the last entry of the audit log
                assert!(records.has_farm("a").await.expect("asked"), "byte {at}");
                opened += 1;
            }
        }
    }
    assert!(opened < 5, "{opened} of 39 went unnoticed");
}

#[tokio::test]
async fn a_file_that_is_damaged_or_missing_is_refused() {
    if is_postgres() {
        return;
    }
    let left = left_by_a_crash().await;
    open(&left).await.expect("complete").close().await;
    let whole = fs::read(left.path().join("records.db")).expect("there");
    let with = |bytes: &[u8]| {
        let dir = copy(left.path());
        fs::write(dir.path().join("records.db"), bytes).expect("written");
        dir
    };
    for bytes in [&[][..], &whole[..0]] {
        let why = refused(&with(bytes), "empty").await;
        assert!(matches!(why, Unsound::Lost { .. }), "{why}");
    }
    let missing = copy(left.path());
    fs::remove_file(missing.path().join("records.db")).expect("removed");
    let why = refused(&missing, "missing").await;
    assert!(matches!(why, Unsound::Lost { .. }), "{why}");
    assert!(
        !missing.path().join("records.db").exists(),
        "nothing is made"
    );
    let mut zeroed = whole.clone();
    zeroed[4_096..8_192].fill(0);
    for (what, bytes) in [
        ("zeroed", zeroed.as_slice()),
        ("cut short", &whole[..whole.len() / 2]),
        ("another file", b"PK not a database at all".as_slice()),
    ] {
        let why = refused(&with(bytes), what).await;
        assert!(matches!(why, Unsound::Damaged { .. }), "{what}: {why}");
    }
}

#[tokio::test]
async fn farms_without_records_are_refused() {
    if is_postgres() {
        return;
    }
    let dir = TempDir::new().expect("a directory");
    let records = open(&dir).await.expect("new");
    let farm = FarmId::from("a");
    records.belong_to(&[]).await.expect("both are new");
    let why = records
        .belong_to(std::slice::from_ref(&farm))
        .await
        .expect_err("nobody would have it");
    assert!(why.to_string().contains("1 farm (a)"), "{why}");
    let new = NewFarm {
        id: "a",
        name: "Green Valley",
        location: None,
        position: None,
        timezone: "Asia/Kolkata",
    };
    records.create_farm(new).await.expect("a farm");
    records.belong_to(&[farm]).await.expect("its records");
}

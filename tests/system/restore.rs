//! What is not restored: damage of every kind, named; and what an older version wrote, which is.

use std::fs;
use std::path::Path;

use harit_backup::Manifest;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::backup::{backed_up, done, restored, text};
use crate::farm::{self, Api, BLUE, GREEN};
use crate::server::{machine, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_damaged_is_not_restored_and_no_server_takes_it() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let (data, repository) = (home.data(), home.path("backups"));
    let made = backed_up(&data, &repository).await;
    let (from, to) = (text(&repository), home.path("restored"));
    let refused = async |args: &[&str], what: &[&str]| {
        let output = run(args).await;
        assert!(!output.status.success(), "{args:?}: {output:?}");
        let said = [output.stdout, output.stderr]
            .map(|b| String::from_utf8(b).unwrap())
            .concat();
        assert!(what.iter().all(|w| said.contains(w)), "{args:?}: {said}");
    };
    let restore = ["restore", "--from", from, "--data-dir", text(&to)];
    let check = ["backup", "check", "--from", from];
    assert!(done(&check).await.contains("all as it was written"));

    // A bit of a chunk of the journal.
    let of = |name: &str| made.files.iter().find(|f| f.path == name).unwrap().chunks[0].to_string();
    let chunk = of("journal/000001/shard-0.db");
    let chunk = repository.join(format!("chunks/{}/{chunk}", &chunk[..2]));
    let sound = fs::read(&chunk).unwrap();
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 4;
    fs::write(&chunk, &flipped).unwrap();
    let named = [
        text(&chunk),
        "needed by journal/000001/shard-0.db of snapshot 1",
    ];
    refused(&check, &named).await;
    refused(&restore, &named).await;
    assert!(!to.join("journal/CURRENT").exists());
    refused(
        &[
            "serve",
            "--data-dir",
            text(&to),
            "--http",
            "127.0.0.1:0",
            "--mqtt",
            "127.0.0.1:0",
        ],
        &["half restored"],
    )
    .await;
    refused(
        &[
            "backup",
            "--data-dir",
            text(&to),
            "--to",
            text(&home.path("other")),
        ],
        &["no journal/CURRENT"],
    )
    .await;
    refused(&restore, &["is not empty"]).await;
    fs::write(&chunk, &sound).unwrap();
    fs::remove_dir_all(&to).unwrap();

    // A manifest that was changed, and one that was made to say another state: the fold says which farm.
    let manifest = repository.join("snapshots/000001.json");
    let sound = fs::read_to_string(&manifest).unwrap();
    let state = &made.farms.iter().find(|f| f.farm == BLUE).unwrap().sha256;
    let forged = sound.replace(state.as_str(), &"0".repeat(64));
    fs::write(&manifest, &forged).unwrap();
    refused(&check, &["000001.json", "not as it was written"]).await;
    refused(&restore, &["000001.json", "is damaged"]).await;
    assert!(!to.exists());
    // The same with a sum that fits: as a program would write it that folds otherwise.
    let mut other: Manifest = serde_json::from_str(&forged).unwrap();
    other.sum = None;
    let sum = harit_backup::Hash::of(&serde_json::to_vec(&other).unwrap());
    other.sum = Some(sum);
    fs::write(&manifest, serde_json::to_vec(&other).unwrap()).unwrap();
    assert!(done(&check).await.contains("all as it was written"));
    refused(
        &restore,
        &[
            "farm blue: its journal does not fold to the state",
            "--accept-findings",
        ],
    )
    .await;
    assert!(to.join("RESTORING").exists() && !to.join("journal/CURRENT").exists());
    fs::remove_dir_all(&to).unwrap();
    let accepted = done(&[&restore[..], &["--accept-findings"]].concat()).await;
    assert!(
        accepted.contains("accepted: farm blue") && accepted.contains("restored to"),
        "{accepted}"
    );
    assert!(!to.join("RESTORING").exists() && to.join("journal/CURRENT").exists());
}

/// The records as they were before the migration that Web Push needs.
async fn made_older(records: &Path) {
    let options = SqliteConnectOptions::new().filename(records);
    let mut db = options.connect().await.unwrap();
    let older = "DROP TABLE effect_settings; DROP TABLE effect_marks; DROP TABLE effect_standings; DROP TABLE sensor_drifts;
        DROP TABLE notes; DROP TABLE push_subscriptions; DROP TRIGGER message_is_sent; DROP TABLE message_months;
        ALTER TABLE outbox DROP COLUMN units; ALTER TABLE outbox DROP COLUMN cost;
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, ', ''PUSH'')', ')') WHERE type = 'table' AND name = 'outbox';
        PRAGMA writable_schema = RESET;
        DROP INDEX farms_by_cell; ALTER TABLE farms DROP COLUMN cell; DROP TABLE cells; DROP TABLE key_prints;
        CREATE TABLE notification_begin (one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1), event_id BIGINT NOT NULL);
        INSERT INTO notification_begin (one, event_id) SELECT 1, event_id FROM notification_begins; DROP TABLE notification_begins;
        DELETE FROM _sqlx_migrations WHERE version >= 27;";
    sqlx::raw_sql(older).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_older_schema_has_is_restored_and_brought_up_to_date() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let new = done(&["verify-log", "--data-dir", text(&home.data())]).await;
    assert!(new.starts_with("0 entries"), "{new}");
    let mut server = farm::server(&home).await;
    // Somebody signed in: the audit log has entries.
    drop(Api::of(&server, GREEN).await);
    assert!(server.terminate().await.0.success());
    let (data, repository) = (home.data(), home.path("backups"));
    made_older(&data.join("records.db")).await;
    backed_up(&data, &repository).await;
    fs::remove_dir_all(&data).unwrap();
    let said = restored(&repository, 1, &data).await;
    assert!(
        said.contains("audit log: ") && said.contains("are as they were written"),
        "{said}"
    );
    server.start().await;
    let api = Api::of(&server, GREEN).await;
    assert!(api.of_farm("rules").await.is_array());
    assert!(server.terminate().await.0.success());
    // A log with entries and without its ends is not taken for sound.
    fs::remove_file(data.join("audit.heads")).unwrap();
    backed_up(&data, &repository).await;
    let to = home.path("without-ends");
    let refused = run(&[
        "restore",
        "--from",
        text(&repository),
        "--data-dir",
        text(&to),
    ])
    .await;
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && said.contains("audit.heads cannot be read"),
        "{said}"
    );
}

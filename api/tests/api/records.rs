//! The records on their own.

use harit_api::{Language, NewFarm, NewTask, NewUser, Records, Role, SeedError};
use harit_ingest::ControllerDirectory;
use harit_ingest::mqtt::{Principal, Refusal};
use harit_protocol::Mac;

use crate::database::new_place;

async fn all(records: &Records) {
    let farm = |id| NewFarm {
        id,
        name: "Green Valley",
        location: None,
        position: Some((20.0, 73.8)),
        timezone: "Asia/Kolkata",
    };
    records.create_farm(farm("a")).await.expect("a farm");
    assert!(
        matches!(records.create_farm(farm("a")).await, Err(SeedError::Exists(id)) if id == "a")
    );
    assert!(
        records.has_farm("a").await.expect("asked") && !records.has_farm("b").await.expect("asked")
    );

    let user = |contact| NewUser {
        contact,
        phone: None,
        name: "Asha",
        password: None,
        language: Language::Mr,
        onboarding_completed: false,
    };
    let asha = records
        .create_user(user("Asha@Example.test"))
        .await
        .expect("a user");
    assert!(matches!(
        records.create_user(user("asha@example.test")).await,
        Err(SeedError::Exists(_))
    ));
    assert!(matches!(
        records.create_user(user("asha")).await,
        Err(SeedError::Contact(_))
    ));
    records
        .set_role(&asha, "a", Role::Viewer)
        .await
        .expect("a role");
    records
        .set_role(&asha, "a", Role::Owner)
        .await
        .expect("another role");
    assert!(
        records
            .set_role(&asha, "no-such-farm", Role::Owner)
            .await
            .is_err()
    );

    let task = NewTask {
        title: "Flush drip lines",
        description: None,
        assignee: Some(&asha),
        category: None,
        priority: "HIGH",
        status: "OPEN",
        due_date: "2026-01-31",
    };
    records.create_task("a", task).await.expect("a task");
    assert!(
        records
            .create_task(
                "a",
                NewTask {
                    status: "LATER",
                    ..task
                }
            )
            .await
            .is_err()
    );

    let (house, tank) = (
        Mac::parse("AABBCCDDEE01").expect("a MAC"),
        Mac::parse("AABBCCDDEE02").expect("a MAC"),
    );
    records
        .create_polyhouse_controller("a", house, "House", "secret-1", "ph-1")
        .await
        .expect("a controller");
    records
        .create_reservoir_controller("a", tank, "Tank", "secret-2", "tank-1", Some(500.0), None)
        .await
        .expect("a controller");
    let again = records
        .create_polyhouse_controller("a", house, "House", "secret-3", "ph-2")
        .await;
    assert!(matches!(again, Err(SeedError::Exists(mac)) if mac == "AABBCCDDEE01"));
    records
        .create_integration("a", "grafana", "secret-4")
        .await
        .expect("an account");
}

async fn accounts(records: &Records) {
    let (house, unknown) = (
        Mac::parse("AABBCCDDEE01").expect("a MAC"),
        Mac::parse("000000000000").expect("a MAC"),
    );
    let found = records.lookup(&house).expect("registered");
    assert_eq!(found.scope, harit_engine::ScopeSpec::polyhouse("ph-1"));
    assert_eq!(records.verify(&house, b"secret-1").await, Ok(found));
    assert_eq!(
        records.verify(&house, b"secret-2").await,
        Err(Refusal::BadCredentials)
    );
    assert_eq!(
        records.verify(&unknown, b"secret-1").await,
        Err(Refusal::BadCredentials)
    );
    assert_eq!(records.lookup(&unknown), None);
    let integration = Principal::Integration {
        farm: "a".into(),
        name: "grafana".into(),
    };
    assert_eq!(
        records.verify_integration("grafana", b"secret-4").await,
        Ok(integration)
    );
    assert_eq!(
        records.verify_integration("grafana", b"secret-1").await,
        Err(Refusal::BadCredentials)
    );
    assert_eq!(
        records.verify_integration("nobody", b"secret-4").await,
        Err(Refusal::BadCredentials)
    );
}

#[tokio::test]
async fn what_is_written_is_there_when_the_file_is_opened_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let place = new_place(dir.path()).await;
    let records = Records::open(&place).await.expect("records");
    all(&records).await;
    accounts(&records).await;
    records.close().await;
    let records = Records::open(&place).await.expect("records again");
    accounts(&records).await;
    // the secrets themselves are nowhere in the files
    for file in std::fs::read_dir(dir.path()).expect("a directory") {
        let bytes = std::fs::read(file.expect("a file").path()).expect("its bytes");
        assert!(
            !bytes.windows(8).any(|w| w == b"secret-1"),
            "a secret is stored"
        );
    }
}

#[tokio::test]
async fn a_key_that_is_lost_is_not_made_anew_without_a_word() {
    for key in ["codes.key", "audit.key"] {
        let dir = tempfile::tempdir().expect("a directory");
        let place = new_place(dir.path()).await;
        let records = Records::open(&place).await.expect("records");
        all(&records).await;
        records.close().await;
        std::fs::remove_file(dir.path().join(key)).expect("a key");
        let refused = Records::open(&place).await.expect_err("refused");
        let why = std::error::Error::source(&refused)
            .expect("a reason")
            .to_string();
        assert!(why.contains(key) && why.contains("is missing"), "{why}");
        assert!(!dir.path().join(key).exists());
    }
}

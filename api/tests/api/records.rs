//! The records on their own, and on PostgreSQL where there is one.

use std::sync::Arc;

use harit_api::{
    ApiConfig, Language, NewFarm, NewTask, NewUser, NoProvider, Records, Role, SeedError,
};
use harit_ingest::ControllerDirectory;
use harit_ingest::mac::Mac;
use harit_ingest::mqtt::{Principal, Refusal};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::{App, Person};

/// Names a PostgreSQL database that is empty and may be written to.
const POSTGRES: &str = "HARIT_TEST_POSTGRES";

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
    let path = dir.path().join("records.db");
    let records = Records::open(&path).await.expect("records");
    all(&records).await;
    accounts(&records).await;
    records.close().await;
    let records = Records::open(&path).await.expect("records again");
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

/// Codes, invites and people, where statements run at the same time.
async fn people(app: &App, owner: &Person) {
    app.post("/auth/send-otp", &json!({"contact": owner.email}))
        .await
        .expect(StatusCode::OK);
    app.post("/auth/send-otp", &json!({"contact": owner.email}))
        .await
        .expect(StatusCode::TOO_MANY_REQUESTS);
    let code = app.sent(&owner.email).await["code"].clone();
    let body = json!({"contact": owner.email, "otp": code});
    let all =
        futures_util::future::join_all((0..50).map(|_| app.post("/auth/verify-otp", &body))).await;
    let ok = all.iter().filter(|a| a.status == StatusCode::OK).count();
    assert_eq!(ok, 1);

    let invite = json!({"email": "second@b.test", "role": "OWNER", "languagePref": "mr"});
    app.call(owner, Method::POST, "/onboarding/invite-user", &invite)
        .await
        .expect(StatusCode::CREATED);
    app.get(owner, "/onboarding/invites")
        .await
        .expect(StatusCode::OK);
    let link = app.sent("second@b.test").await["link"].clone();
    let accept = format!("/onboarding{}/accept", link.as_str().expect("a link"));
    let second = app
        .post(&accept, &json!({"name": "Second Owner"}))
        .await
        .expect(StatusCode::OK);
    let second = Person {
        id: second["user"]["id"].as_str().expect("an id").to_owned(),
        email: "second@b.test".into(),
        token: second["token"].as_str().expect("a token").to_owned(),
    };
    let path = |of: &Person| format!("/api/farms/b/users/{}", of.id);
    let demote = json!({"role": "VIEWER", "name": "Asha Patil"});
    let (one, two) = (path(&second), path(owner));
    let off = format!("{one}/deactivate");
    app.call(owner, Method::POST, &off, &json!({}))
        .await
        .expect(StatusCode::OK);
    let last = app.call(owner, Method::PATCH, &two, &demote).await;
    assert_eq!(last.expect(StatusCode::CONFLICT)["code"], "last_owner");
    app.call(owner, Method::PATCH, &one, &demote)
        .await
        .expect(StatusCode::OK);
    app.call(owner, Method::DELETE, &one, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let new = json!({"name": "Ravi More", "email": "ravi@b.test"});
    app.post("/auth/register", &new)
        .await
        .expect(StatusCode::CREATED);
    app.get(owner, "/api/farms/b/users")
        .await
        .expect(StatusCode::OK);
    app.get(owner, "/auth/sessions")
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
#[ignore = "needs a server: HARIT_TEST_POSTGRES=postgres://... cargo test -p harit-api postgres -- --ignored"]
async fn postgres_takes_the_same_sql() {
    let url = std::env::var(POSTGRES).expect("HARIT_TEST_POSTGRES names an empty database");
    let keys = tempfile::tempdir().expect("a directory");
    let records = Records::open_postgres(&url, keys.path())
        .await
        .expect("a database");
    all(&records).await;
    accounts(&records).await;

    let dir = tempfile::tempdir().expect("a directory");
    let config = ApiConfig {
        demo: Some(harit_api::DemoSignIn {
            farm: "b".into(),
            users: Vec::new(),
            password: String::new(),
        }),
        sign_ins_per_address: 1_000,
        ..ApiConfig::default()
    };
    let over = App::over(records.clone(), dir, config, Arc::new(NoProvider));
    let mut app = over.await;
    app.farm("b").await;
    let owner = app.person("b", Role::Owner).await;
    for what in ["summary", "tasks/summary", "reservoirs", "devices"] {
        let path = format!("/api/farms/b/{what}");
        app.get(&owner, &path).await.expect(StatusCode::OK);
    }
    let asset = json!({"assets": [{"type": "FERTIGATION", "macid": "AABBCCDDEE10"}]});
    app.call(&owner, Method::POST, "/onboarding/assets", &asset)
        .await
        .expect(StatusCode::CREATED);
    people(&app, &owner).await;
    let manager = app.person("b", Role::FarmManager).await;
    crate::notifications::told_and_read(&app, &owner, "b").await;
    let tank = json!({"name": "Rain tank", "capacity": 900.5});
    let tanks = "/api/farms/b/reservoirs";
    let made = app.call(&owner, Method::POST, tanks, &tank).await;
    let made = made.expect(StatusCode::CREATED);
    let path = format!("{tanks}/{}", made["id"].as_str().expect("an id"));
    let changed = json!({"name": "Rain tank", "lastRefill": 1_700_000_000_000_i64});
    app.call(&owner, Method::PUT, &path, &changed)
        .await
        .expect(StatusCode::OK);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    crate::tasks::at_once(&app, [&owner, &manager], "/api/farms/b/tasks").await;
    app.call(&owner, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&owner, "/api/farms")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    app.shut_down().await;

    records.close().await;
    accounts(
        &Records::open_postgres(&url, keys.path())
            .await
            .expect("the database again"),
    )
    .await;
}

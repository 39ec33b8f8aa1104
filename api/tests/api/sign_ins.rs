//! Sign-ins: how long they last, which devices are known for them, and those that fail.

use harit_api::{ApiConfig, NoProvider, Role};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::identity::VICTIM;
use crate::support::{Answer, App, PASSWORD, Person};

/// A request of a device, as a console sends it.
async fn from_device(app: &App, device: &str, path: &str, body: &Value) -> Answer {
    let request = app
        .request(Method::POST, path)
        .header("x-harit-device", device);
    app.send(request.json(body)).await
}

#[tokio::test]
async fn strangers_do_not_lock_a_person_out_of_a_known_device() {
    let config = ApiConfig {
        sign_ins_per_contact: 1_000,
        sign_ins_per_address: 100_000,
        codes_per_address: 100_000,
        demo: Some(harit_api::DemoSignIn {
            farm: "a".into(),
            users: Vec::new(),
            password: PASSWORD.into(),
        }),
        ..ApiConfig::default()
    };
    let app = App::with(config, std::sync::Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let (home, cafe) = ("h".repeat(64), "c".repeat(64));
    let right = json!({"contact": owner.email, "password": PASSWORD});
    from_device(&app, &home, "/auth/login", &right)
        .await
        .expect(StatusCode::OK);
    // strangers guess until nobody unknown may
    let guess = json!({"contact": owner.email, "password": "a guess"});
    let mut looked_at = 0;
    for _ in 0..40 {
        looked_at +=
            u32::from(app.post("/auth/login", &guess).await.status == StatusCode::UNAUTHORIZED);
    }
    assert_eq!(looked_at, 30);
    from_device(&app, &cafe, "/auth/login", &right)
        .await
        .expect(StatusCode::TOO_MANY_REQUESTS);
    from_device(&app, &home, "/auth/login", &right)
        .await
        .expect(StatusCode::OK);
    // a device that is known has a limit too: a stolen one is no way to guess
    let mut looked_at = 0;
    for _ in 0..40 {
        let answer = from_device(&app, &home, "/auth/login", &guess).await;
        looked_at += u32::from(answer.status == StatusCode::UNAUTHORIZED);
    }
    assert_eq!(looked_at, 30);
    // strangers ask for codes and burn them
    let ask = json!({"contact": owner.email});
    for _ in 0..5 {
        app.meddle("UPDATE codes SET created_at = created_at - 61000")
            .await;
        app.post("/auth/send-otp", &ask)
            .await
            .expect(StatusCode::OK);
        // a message is written after the answer
        app.sent(&owner.email).await;
        app.meddle("DELETE FROM outbox").await;
        for _ in 0..5 {
            app.post(
                "/auth/verify-otp",
                &json!({"contact": owner.email, "otp": "000000"}),
            )
            .await
            .expect(StatusCode::UNAUTHORIZED);
        }
    }
    app.meddle("UPDATE codes SET created_at = created_at - 61000")
        .await;
    app.post("/auth/send-otp", &ask)
        .await
        .expect(StatusCode::TOO_MANY_REQUESTS);
    // the known device asks as if nobody had, and strangers' guesses use up none of its tries
    from_device(&app, &home, "/auth/send-otp", &ask)
        .await
        .expect(StatusCode::OK);
    let code = app.sent(&owner.email).await["code"].clone();
    for _ in 0..10 {
        app.post(
            "/auth/verify-otp",
            &json!({"contact": owner.email, "otp": "000000"}),
        )
        .await;
    }
    let body = json!({"contact": owner.email, "otp": code});
    // who saw the code elsewhere cannot use it
    app.post("/auth/verify-otp", &body)
        .await
        .expect(StatusCode::UNAUTHORIZED);
    from_device(&app, &home, "/auth/verify-otp", &body)
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
async fn who_claims_a_contact_makes_no_device_known_for_it() {
    let app = App::demo().await;
    let device = "d".repeat(64);
    let body = json!({"name": "Eve", "email": VICTIM, "password": "a thief's password"});
    from_device(&app, &device, "/auth/register", &body)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(app.meddle("DELETE FROM devices").await, 0);
}

#[tokio::test]
async fn a_sign_in_ends_however_much_it_is_used() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let day = 24 * 3_600 * 1_000_i64;
    let back = "UPDATE sessions SET created_at = created_at - 7689600000, last_used_at = last_used_at - 90000";
    assert_eq!(app.meddle(back).await, 1);
    app.get(&owner, "/auth/me").await.expect(StatusCode::OK);
    let sessions = app
        .get(&owner, "/auth/sessions")
        .await
        .expect(StatusCode::OK)["sessions"][0]
        .clone();
    let (made, ends) = (&sessions["createdAt"], &sessions["expiresAt"]);
    assert_eq!(
        ends.as_i64().zip(made.as_i64()).map(|(e, m)| e - m),
        Some(90 * day)
    );
    app.meddle("UPDATE sessions SET created_at = created_at - 86400000")
        .await;
    app.get(&owner, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    for _ in 0..12 {
        app.sign_in(&owner.email).await;
    }
    let last = Person {
        token: app.sign_in(&owner.email).await,
        ..owner
    };
    let sessions = app
        .get(&last, "/auth/sessions")
        .await
        .expect(StatusCode::OK);
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(10));
}

#[tokio::test]
async fn failed_sign_ins_of_a_minute_are_one_entry() {
    let app = App::demo().await;
    for n in 0..25 {
        let body = json!({"contact": format!("nobody{n}@x.test"), "password": "a guess"});
        app.post("/auth/login", &body)
            .await
            .expect(StatusCode::UNAUTHORIZED);
    }
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let written = app.audited("", "sign_in_failed").await;
    assert_eq!(written.len(), 1, "{written:?}");
}

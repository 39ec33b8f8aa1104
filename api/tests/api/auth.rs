//! /auth

use harit_api::{ApiConfig, NoProvider, Role};
use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::support::{App, PASSWORD};

#[tokio::test]
async fn signing_in_gives_a_token_that_says_who_one_is() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    assert_eq!(owner.token.len(), 64);

    let me = app.get(&owner, "/auth/me").await.expect(StatusCode::OK);
    assert_eq!(me["user"]["email"], "owner@a.test");
    assert_eq!(me["user"]["role"], "OWNER");
    assert_eq!(me["user"]["languagePref"], "en");
    assert_eq!(me["user"]["onboardingCompleted"], true);
    assert!(me["user"].get("passwordHash").is_none() && me["user"].get("password_hash").is_none());

    // in another spelling of the address
    let again = json!({"contact": " OWNER@A.test ", "password": PASSWORD});
    let answer = app
        .send(app.request(Method::POST, "/auth/login").json(&again))
        .await
        .expect(StatusCode::OK);
    assert_eq!(answer["firstTime"], false);
    assert_ne!(answer["token"], owner.token.as_str());
}

#[tokio::test]
async fn signing_out_ends_the_token_and_no_other() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let other = app.sign_in(&owner.email).await;
    app.call(&owner, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let refused = app.get(&owner, "/auth/me").await;
    assert_eq!(refused.headers[header::WWW_AUTHENTICATE], "Bearer");
    assert_eq!(
        refused.expect(StatusCode::UNAUTHORIZED)["code"],
        "unauthenticated"
    );
    let request = app.request(Method::GET, "/auth/me").bearer_auth(other);
    app.send(request).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn a_deactivated_user_is_nobody() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    assert!(
        app.records
            .set_user_active(&owner.id, false)
            .await
            .expect("stored")
    );
    app.get(&owner, "/api/farms")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    let body = json!({"contact": owner.email, "password": PASSWORD});
    app.send(app.request(Method::POST, "/auth/login").json(&body))
        .await
        .expect(StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_unknown_contact_and_a_wrong_password_get_the_same_answer() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut bodies = Vec::new();
    for contact in [
        owner.email.as_str(),
        "nobody@a.test",
        "+919999999999",
        "no contact at all",
    ] {
        let body = json!({"contact": contact, "password": "not the password"});
        let answer = app
            .send(app.request(Method::POST, "/auth/login").json(&body))
            .await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        bodies.push(answer.text);
    }
    bodies.dedup();
    assert_eq!(
        bodies,
        [r#"{"error":"Login failed","code":"login_failed"}"#]
    );
}

#[tokio::test]
async fn missing_fields_are_said_in_the_callers_language() {
    let app = App::start().await;
    let login = |language: &'static str, body: serde_json::Value| {
        app.request(Method::POST, "/auth/login")
            .header(header::ACCEPT_LANGUAGE, language)
            .json(&body)
    };
    let answer = app
        .send(login("en", json!({"contact": " ", "password": ""})))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(answer["error"], "Email or mobile number is required");
    assert_eq!(answer["problems"][1]["message"], "Password is required");
    assert_eq!(answer["problems"][1]["path"], "password");
    let hindi = app
        .send(login("hi-IN,hi;q=0.9", json!({"contact": "a@b.c"})))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(hindi["error"], "पासवर्ड ज़रूरी है");
    let request = app
        .request(Method::POST, "/auth/login")
        .header(header::CONTENT_TYPE, "application/json")
        .body("{");
    assert_eq!(
        app.send(request).await.expect(StatusCode::BAD_REQUEST)["code"],
        "bad_json"
    );
    let request = app
        .request(Method::POST, "/auth/login")
        .header(header::CONTENT_TYPE, "text/plain")
        .body("{}");
    assert_eq!(
        app.send(request)
            .await
            .expect(StatusCode::UNSUPPORTED_MEDIA_TYPE)["code"],
        "json_expected"
    );
}

#[tokio::test]
async fn guessing_is_slowed_down_and_signing_in_is_not() {
    let config = ApiConfig {
        sign_ins_per_contact: 3,
        ..ApiConfig::default()
    };
    let app = App::with(config, std::sync::Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for _ in 0..6 {
        app.sign_in(&owner.email).await;
    }
    let guess = || {
        let body = json!({"contact": owner.email, "password": "a guess"});
        app.send(app.request(Method::POST, "/auth/login").json(&body))
    };
    for _ in 0..3 {
        guess().await.expect(StatusCode::UNAUTHORIZED);
    }
    let refused = guess().await;
    let wait: u64 = refused.headers[header::RETRY_AFTER]
        .to_str()
        .expect("text")
        .parse()
        .expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(
        refused.expect(StatusCode::TOO_MANY_REQUESTS)["code"],
        "too_many_attempts"
    );
}

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

#[tokio::test]
async fn wrong_passwords_are_counted_over_all_addresses_and_a_restart() {
    let config = || ApiConfig {
        sign_ins_per_contact: 1_000,
        sign_ins_per_address: 1_000,
        ..ApiConfig::default()
    };
    let app = App::with(config(), std::sync::Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let tries = async |app: &App, contact: &str, n: usize| {
        let mut looked_at = 0;
        for _ in 0..n {
            let body = json!({"contact": contact, "password": "a guess"});
            let answer = app
                .send(app.request(Method::POST, "/auth/login").json(&body))
                .await;
            match answer.status {
                StatusCode::UNAUTHORIZED => looked_at += 1,
                StatusCode::TOO_MANY_REQUESTS => {
                    let wait = &answer.headers[header::RETRY_AFTER];
                    let wait: u64 = wait.to_str().expect("text").parse().expect("seconds");
                    assert!((3_500..=3_600).contains(&wait), "{wait}");
                }
                other => panic!("{other}: {}", answer.text),
            }
        }
        looked_at
    };
    assert_eq!(tries(&app, &owner.email, 20).await, 20);
    let app = app.restart(config()).await;
    assert_eq!(tries(&app, &owner.email, 12).await, 10);
    // a contact without an account is limited in the same way
    assert_eq!(tries(&app, "nobody@kheti.test", 32).await, 30);
    // an hour later they are forgotten, and the right password passes again
    let forgotten = app
        .meddle("UPDATE password_tries SET since = since - 3600001")
        .await;
    assert_eq!(forgotten, 2);
    app.sign_in(&owner.email).await;
}

#[tokio::test]
async fn a_user_has_so_many_looks_a_minute() {
    let config = ApiConfig {
        reads_per_user: 10,
        ..ApiConfig::default()
    };
    let app = App::with(config, std::sync::Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let other = app.person("a", Role::Viewer).await;
    let me = |token: String| app.send(app.request(Method::GET, "/auth/me").bearer_auth(token));
    for _ in 0..10 {
        me(owner.token.clone()).await.expect(StatusCode::OK);
    }
    let refused = me(owner.token.clone()).await;
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
    refused.expect(StatusCode::TOO_MANY_REQUESTS);
    me(other.token.clone()).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn a_password_that_everybody_tries_is_refused() {
    let app = App::start().await;
    let register = |password: &'static str| {
        let body = json!({"name": "Asha Patil", "email": "asha@kheti.test", "password": password});
        app.send(app.request(Method::POST, "/auth/register").json(&body))
    };
    for password in ["password123", "ashapatil", "polyhouse"] {
        let refused = register(password)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], "password");
        assert_eq!(refused["problems"][0]["code"], "guessable");
    }
    register("mango-7-lane").await.expect(StatusCode::CREATED);
}

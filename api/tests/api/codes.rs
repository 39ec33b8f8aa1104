//! Signing in by code.

use std::collections::BTreeSet;

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::support::App;

/// A minute passes for all codes.
const A_MINUTE: &str = "UPDATE codes SET created_at = created_at - 61000";

async fn code(app: &App, contact: &str) -> String {
    app.meddle("DELETE FROM outbox").await;
    app.post("/auth/send-otp", &json!({"contact": contact}))
        .await
        .expect(StatusCode::OK);
    let message = app.sent(contact).await;
    message["code"].as_str().expect("a code").to_owned()
}

#[tokio::test]
async fn a_code_signs_in_once() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let sent = app
        .post("/auth/send-otp", &json!({"contact": "OWNER@a.test"}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(sent, json!({"maskedContact": "o***@a.test"}));
    let message = app.sent("owner@a.test").await;
    let code = message["code"].as_str().expect("a code");
    assert!(code.len() == 6 && message["body"].as_str().expect("text").contains(code));

    let body = json!({"contact": owner.email, "otp": code});
    let signed_in = app
        .post("/auth/verify-otp", &body)
        .await
        .expect(StatusCode::OK);
    assert_eq!(signed_in["user"]["id"], owner.id.as_str());
    assert_eq!(signed_in["firstTime"], false);
    let again = app.post("/auth/verify-otp", &body).await;
    assert_eq!(
        again.expect(StatusCode::UNAUTHORIZED),
        json!({"error": "Invalid OTP", "code": "invalid_code"})
    );
}

#[tokio::test]
async fn two_hundred_uses_of_a_right_code_are_one_sign_in() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let code = code(&app, &owner.email).await;
    let body = json!({"contact": owner.email, "otp": code});
    let all =
        futures_util::future::join_all((0..200).map(|_| app.post("/auth/verify-otp", &body))).await;
    let ok = all.iter().filter(|a| a.status == StatusCode::OK).count();
    let refused = all
        .iter()
        .filter(|a| a.status == StatusCode::UNAUTHORIZED)
        .count();
    assert_eq!((ok, refused), (1, 199));
    let sessions = app
        .get(&owner, "/auth/sessions")
        .await
        .expect(StatusCode::OK);
    let by_code = |s: &&serde_json::Value| s["method"] == "CODE";
    let sessions = sessions["sessions"].as_array().expect("sessions");
    assert_eq!(sessions.iter().filter(by_code).count(), 1);
}

#[tokio::test]
async fn a_thousand_guesses_do_not_find_a_code() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let code = code(&app, &owner.email).await;
    let right: u32 = code.parse().expect("digits");
    let mut statuses = BTreeSet::new();
    for n in 0..1_000 {
        let guess = format!("{:06}", (right + 1 + n) % 1_000_000);
        let body = json!({"contact": owner.email, "otp": guess});
        let answer = app.post("/auth/verify-otp", &body).await;
        statuses.insert(answer.status.as_u16());
    }
    assert_eq!(statuses, BTreeSet::from([401]));
    // after five of them the code is void, also for who has it
    app.post(
        "/auth/verify-otp",
        &json!({"contact": owner.email, "otp": code}),
    )
    .await
    .expect(StatusCode::UNAUTHORIZED);
    // over all codes of a day there are thirty tries
    app.meddle("UPDATE codes SET created_at = created_at - 61000, failures = 30")
        .await;
    let limited = app
        .post("/auth/send-otp", &json!({"contact": owner.email}))
        .await;
    let wait: u64 = limited.headers[header::RETRY_AFTER]
        .to_str()
        .expect("text")
        .parse()
        .expect("seconds");
    assert!(wait > 80_000, "{wait}");
    limited.expect(StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn known_and_unknown_contacts_get_the_same_answers() {
    let app = App::demo().await;
    app.farm("a").await;
    app.person("a", Role::Owner).await;
    for round in 0..3 {
        let mut bodies = BTreeSet::new();
        for contact in ["owner@a.test", "overseer@a.test"] {
            let sent = app
                .post("/auth/send-otp", &json!({"contact": contact}))
                .await;
            let wrong = app
                .post(
                    "/auth/verify-otp",
                    &json!({"contact": contact, "otp": "000000"}),
                )
                .await;
            bodies.insert((sent.status, sent.text, wrong.status, wrong.text));
        }
        assert_eq!(bodies.len(), 1, "round {round}: {bodies:?}");
    }
    let outbox = app
        .send(app.request(Method::GET, "/api/demo/outbox"))
        .await
        .expect(StatusCode::OK);
    let to = |m: &serde_json::Value| m["to"] == "overseer@a.test";
    assert!(
        !outbox["messages"]
            .as_array()
            .expect("a list")
            .iter()
            .any(to)
    );
}

#[tokio::test]
async fn a_contact_gets_one_code_a_minute_and_five_an_hour() {
    let app = App::demo().await;
    let body = json!({"contact": "98765 43210"});
    let sent = app.post("/auth/send-otp", &body).await;
    assert_eq!(
        sent.expect(StatusCode::OK),
        json!({"maskedContact": "*********3210"})
    );
    let soon = app.post("/auth/send-otp", &body).await;
    let wait = |a: &crate::support::Answer| -> u64 {
        let after = a.headers[header::RETRY_AFTER].to_str().expect("text");
        after.parse().expect("seconds")
    };
    assert!((55..=60).contains(&wait(&soon)), "{}", wait(&soon));
    soon.expect(StatusCode::TOO_MANY_REQUESTS);
    for _ in 0..4 {
        app.meddle(A_MINUTE).await;
        app.post("/auth/send-otp", &body)
            .await
            .expect(StatusCode::OK);
    }
    app.meddle(A_MINUTE).await;
    let sixth = app.post("/auth/send-otp", &body).await;
    assert!(wait(&sixth) > 3_000, "{}", wait(&sixth));
    sixth.expect(StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn old_codes_are_void() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let first = code(&app, &owner.email).await;
    app.meddle(A_MINUTE).await;
    let second = code(&app, &owner.email).await;
    let verify = |otp: String| {
        let body = json!({"contact": owner.email, "otp": otp});
        let app = &app;
        async move { app.post("/auth/verify-otp", &body).await }
    };
    if first != second {
        verify(first).await.expect(StatusCode::UNAUTHORIZED);
    }
    app.meddle("UPDATE codes SET expires_at = 1").await;
    verify(second).await.expect(StatusCode::UNAUTHORIZED);
    app.meddle(A_MINUTE).await;
    let third = code(&app, &owner.email).await;
    verify(third).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn the_email_flow_says_what_the_specification_says() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for email in [owner.email.as_str(), "nobody@a.test"] {
        let asked = app
            .post("/api/auth/request-email-otp", &json!({"email": email}))
            .await;
        assert_eq!(
            asked.expect(StatusCode::OK)["message"],
            "If the email exists, we sent a code."
        );
    }
    let code = app.sent(&owner.email).await["code"].clone();
    let right = json!({"email": owner.email, "code": code});
    app.post("/api/auth/verify-email-otp", &right)
        .await
        .expect(StatusCode::OK);
    let refused = app.post("/api/auth/verify-email-otp", &right).await;
    assert_eq!(
        refused.expect(StatusCode::UNAUTHORIZED)["message"],
        "Invalid or expired code"
    );
    let short = json!({"contact": owner.email, "otp": "12345"});
    assert_eq!(
        app.post("/auth/verify-otp", &short)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
        "Please enter the complete 6-digit OTP"
    );
    assert_eq!(
        app.post("/auth/send-otp", &json!({}))
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
        "Email or mobile number is required"
    );
}

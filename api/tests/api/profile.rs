//! Registering, the own profile, password and sign-ins.

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::support::{App, PASSWORD, Person};

#[tokio::test]
async fn who_registers_owns_a_new_farm() {
    let app = App::demo().await;
    let new = json!({"name": "Asha Patil", "email": "Asha@x.test", "mobile": "+919876543210", "address": "Nashik",
        "password": "long enough", "location": {"lat": 20.0, "lng": 73.8, "place_id": "x"}});
    let made = app
        .post("/auth/register", &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(made["firstTime"], true);
    assert_eq!(made["user"]["role"], "OWNER");
    let asha = Person {
        id: made["user"]["id"].as_str().expect("an id").to_owned(),
        email: "asha@x.test".into(),
        token: made["token"].as_str().expect("a token").to_owned(),
    };
    let farms = app.get(&asha, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms[0]["name"], "Asha Patil's farm");
    assert_eq!(farms[0]["location"], "Nashik");
    let farm = farms[0]["id"].as_str().expect("an id");
    app.get(&asha, &format!("/api/farms/{farm}/summary"))
        .await
        .expect(StatusCode::OK);
    let asset = json!({"assets": [{"type": "POLYHOUSE", "macid": "AABBCCDDEE10"}]});
    app.call(&asha, Method::POST, "/onboarding/assets", &asset)
        .await
        .expect(StatusCode::CREATED);
    let done = app
        .call(&asha, Method::POST, "/auth/complete-onboarding", &json!({}))
        .await;
    assert_eq!(
        done.expect(StatusCode::OK)["user"]["onboardingCompleted"],
        true
    );
    assert_eq!(made["user"]["emailVerified"], false);
    // a contact that is somebody's is taken
    let verified = "UPDATE users SET email = claimed_email, phone = claimed_phone, claimed_email = NULL, claimed_phone = NULL";
    assert_eq!(app.meddle(verified).await, 1);
    for taken in [
        json!({"name": "Eve", "email": "asha@x.test"}),
        json!({"name": "Eve", "email": "eve@x.test", "mobile": "9876543210"}),
    ] {
        let refused = app.post("/auth/register", &taken).await;
        assert_eq!(
            refused.expect(StatusCode::CONFLICT)["error"],
            "Registration failed"
        );
    }
}

#[tokio::test]
async fn registration_says_what_is_wrong_in_the_words_of_the_specification() {
    let app = App::demo().await;
    for (body, said) in [
        (json!({"email": "a@b.test"}), "Full name is required"),
        (
            json!({"name": " A ", "email": "a@b.test"}),
            "Name must be at least 2 characters",
        ),
        (json!({"name": "Asha"}), "Email is required"),
        (
            json!({"name": "Asha", "email": "asha"}),
            "Invalid email format",
        ),
        (
            json!({"name": "Asha", "email": "a@b.test", "mobile": "012"}),
            "Invalid mobile number format",
        ),
        (
            json!({"name": "Asha", "email": "a@b.test", "password": "1234567"}),
            "Password must be at least 8 characters",
        ),
    ] {
        let answer = app.post("/auth/register", &body).await;
        assert_eq!(
            answer.expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
            said
        );
    }
    let request = app
        .request(Method::POST, "/auth/register")
        .header(header::ACCEPT_LANGUAGE, "mr")
        .json(&json!({"email": "a@b.test"}));
    assert_eq!(
        app.send(request)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
        "पूर्ण नाव आवश्यक आहे"
    );
    // no role can be asked for
    let body = json!({"name": "Eve", "email": "eve@b.test", "role": "OWNER", "farmId": "a", "isActive": true});
    app.farm("a").await;
    let made = app
        .post("/auth/register", &body)
        .await
        .expect(StatusCode::CREATED);
    let request = app
        .request(Method::GET, "/api/farms/a/summary")
        .bearer_auth(made["token"].as_str().expect("a token"));
    app.send(request).await.expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_forgotten_password_is_set_after_a_code_and_ends_other_sign_ins() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let set = json!({"password": "a new password"});
    let refused = app
        .call(&owner, Method::POST, "/auth/set-password", &set)
        .await;
    assert_eq!(refused.expect(StatusCode::FORBIDDEN)["code"], "code_needed");
    app.post("/auth/send-otp", &json!({"contact": owner.email}))
        .await
        .expect(StatusCode::OK);
    let code = app.sent(&owner.email).await["code"].clone();
    let signed_in = app
        .post(
            "/auth/verify-otp",
            &json!({"contact": owner.email, "otp": code}),
        )
        .await
        .expect(StatusCode::OK);
    let by_code = Person {
        token: signed_in["token"].as_str().expect("a token").to_owned(),
        id: owner.id.clone(),
        email: owner.email.clone(),
    };
    let short = json!({"password": "short"});
    app.call(&by_code, Method::POST, "/auth/set-password", &short)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    app.call(&by_code, Method::POST, "/auth/set-password", &set)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&by_code, "/auth/me").await.expect(StatusCode::OK);
    app.get(&owner, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    app.call(&by_code, Method::POST, "/auth/set-password", &set)
        .await
        .expect(StatusCode::FORBIDDEN);
    let login = |password| json!({"contact": owner.email, "password": password});
    app.post("/auth/login", &login(PASSWORD))
        .await
        .expect(StatusCode::UNAUTHORIZED);
    app.post("/auth/login", &login("a new password"))
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
async fn profile_password_and_sign_ins_are_ones_own() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let viewer = app.person("a", Role::Viewer).await;
    let change =
        json!({"name": "Asha P", "phone": "+919000000001", "languagePref": "mr", "role": "OWNER"});
    let me = app
        .call(&viewer, Method::PATCH, "/auth/me", &change)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&me["user"]["name"], &me["user"]["languagePref"]),
        (&json!("Asha P"), &json!("mr"))
    );
    assert_eq!(me["user"]["role"], "VIEWER");
    assert_eq!(me["user"]["phoneVerified"], false);
    // it is nobody's until its code was used, so another may write it down too
    let same = json!({"phone": "9000000001"});
    app.call(&owner, Method::PATCH, "/auth/me", &same)
        .await
        .expect(StatusCode::OK);

    let other = Person {
        token: app.sign_in(&owner.email).await,
        id: owner.id.clone(),
        email: owner.email.clone(),
    };
    let wrong = json!({"currentPassword": "no", "password": "a new password"});
    app.call(&owner, Method::POST, "/auth/change-password", &wrong)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let right = json!({"currentPassword": PASSWORD, "password": PASSWORD});
    app.call(&owner, Method::POST, "/auth/change-password", &right)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&other, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);

    let sessions = app
        .get(&owner, "/auth/sessions")
        .await
        .expect(StatusCode::OK);
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(sessions["sessions"][0]["current"], true);
    let path = format!(
        "/auth/sessions/{}",
        sessions["sessions"][0]["id"].as_str().expect("an id")
    );
    // somebody else's sign-in is not there
    app.call(&viewer, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&owner, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    let second = app.sign_in(&viewer.email).await;
    app.call(&viewer, Method::DELETE, "/auth/sessions", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let request = app.request(Method::GET, "/auth/me").bearer_auth(second);
    app.send(request).await.expect(StatusCode::UNAUTHORIZED);
}

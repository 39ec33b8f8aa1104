//! Whose a contact is: attacks on accounts through contacts that nobody has shown to be theirs.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, App, PASSWORD, Person};

pub(super) const VICTIM: &str = "victim@kheti.test";
const VICTIMS_PHONE: &str = "+919812345678";

fn person(signed_in: &Value, email: &str) -> Person {
    Person {
        id: signed_in["user"]["id"].as_str().expect("an id").to_owned(),
        email: email.to_owned(),
        token: signed_in["token"].as_str().expect("a token").to_owned(),
    }
}

/// Registers with a password.
async fn register(app: &App, email: &str, mobile: Option<&str>) -> Person {
    let body =
        json!({"name": "Eve", "email": email, "mobile": mobile, "password": "a thief's password"});
    let made = app.post("/auth/register", &body).await;
    person(&made.expect(StatusCode::CREATED), email)
}

/// Signs in by the code that was sent to a contact; nobody where none was.
async fn by_code(app: &App, contact: &str) -> Option<Value> {
    app.meddle("UPDATE codes SET created_at = created_at - 61000")
        .await;
    app.meddle("DELETE FROM outbox").await;
    app.post("/auth/send-otp", &json!({"contact": contact}))
        .await
        .expect(StatusCode::OK);
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let outbox = app.send(app.request(Method::GET, "/api/demo/outbox")).await;
    let outbox = outbox.expect(StatusCode::OK);
    let sent = outbox["messages"].as_array().expect("messages").first()?;
    assert_eq!(sent["to"], contact);
    let body = json!({"contact": contact, "otp": sent["code"]});
    let answer = app.post("/auth/verify-otp", &body).await;
    Some(answer.expect(StatusCode::OK))
}

async fn invite(app: &App, by: &Person, body: Value) -> String {
    app.meddle("DELETE FROM outbox").await;
    app.call(by, Method::POST, "/onboarding/invite-user", &body)
        .await
        .expect(StatusCode::CREATED);
    let to = body["email"].as_str().or(body["mobile"].as_str());
    let link = app.sent(to.expect("a contact")).await["link"].clone();
    let link = link.as_str().expect("a link");
    link.rsplit(['/', '#']).next().expect("a token").to_owned()
}

async fn accept(app: &App, by: Option<&Person>, token: &str, body: Value) -> Answer {
    let path = format!("/onboarding/invite/{token}/accept");
    match by {
        Some(person) => app.call(person, Method::POST, &path, &body).await,
        None => app.post(&path, &body).await,
    }
}

/// Whether a token opens farm "a".
async fn opens(app: &App, who: &Person) -> bool {
    let answer = app.get(who, "/api/farms/a/summary").await;
    answer.status == StatusCode::OK
}

#[tokio::test]
async fn who_registered_anothers_address_does_not_get_the_others_invitation() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let thief = register(&app, VICTIM, None).await;
    let token = invite(
        &app,
        &owner,
        json!({"email": VICTIM, "role": "ADMIN", "languagePref": "en", "farmId": "a"}),
    )
    .await;
    // as the page leads her, if it says that there is an account; else at once
    let shown = app
        .send(app.request(Method::GET, &format!("/onboarding/invite/{token}")))
        .await
        .expect(StatusCode::OK);
    let victim = if shown["invite"]["hasAccount"] == true {
        let signed_in = by_code(&app, VICTIM).await.expect("a code");
        let signed_in = person(&signed_in, VICTIM);
        accept(&app, Some(&signed_in), &token, json!({}))
            .await
            .expect(StatusCode::OK)
    } else {
        accept(&app, None, &token, json!({"name": "Victoria"}))
            .await
            .expect(StatusCode::OK)
    };
    let victim = person(&victim, VICTIM);
    assert!(opens(&app, &victim).await);
    assert!(
        !opens(&app, &thief).await,
        "the thief's old session is an admin's"
    );
    let login = json!({"contact": VICTIM, "password": "a thief's password"});
    app.post("/auth/login", &login)
        .await
        .expect(StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn who_wrote_anothers_number_into_the_profile_does_not_get_the_others_invitation() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let thief = app.stranger("thief@x.test").await;
    app.call(
        &thief,
        Method::PATCH,
        "/auth/me",
        &json!({"phone": VICTIMS_PHONE}),
    )
    .await
    .expect(StatusCode::OK);
    let token = invite(
        &app,
        &owner,
        json!({"mobile": VICTIMS_PHONE, "role": "ADMIN", "languagePref": "en", "farmId": "a"}),
    )
    .await;
    let shown = app
        .send(app.request(Method::GET, &format!("/onboarding/invite/{token}")))
        .await
        .expect(StatusCode::OK);
    if shown["invite"]["hasAccount"] == true {
        let signed_in = by_code(&app, VICTIMS_PHONE).await.expect("a code");
        accept(&app, Some(&person(&signed_in, "")), &token, json!({}))
            .await
            .expect(StatusCode::OK);
    } else {
        // a code to that number opens nothing: it is nobody's yet
        assert_eq!(by_code(&app, VICTIMS_PHONE).await, None);
        let refused = accept(&app, Some(&thief), "0123", json!({})).await;
        refused.expect(StatusCode::NOT_FOUND);
        accept(&app, None, &token, json!({"name": "Victoria"}))
            .await
            .expect(StatusCode::OK);
    }
    assert!(
        !opens(&app, &thief).await,
        "the thief's session is an admin's"
    );
    let again = json!({"contact": "thief@x.test", "password": PASSWORD});
    let again = app.post("/auth/login", &again).await.expect(StatusCode::OK);
    assert!(!opens(&app, &person(&again, "")).await);
}

#[tokio::test]
async fn who_added_somebody_with_a_number_of_ones_own_does_not_share_the_account() {
    let app = App::demo().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let thief = app.person("b", Role::Owner).await;
    let mine = "+919000000009";
    let new = json!({"name": "Vi", "email": VICTIM, "phone": mine, "role": "VIEWER", "languagePref": "en"});
    app.call(&thief, Method::POST, "/api/farms/b/users", &new)
        .await
        .expect(StatusCode::CREATED);
    let token = invite(
        &app,
        &owner,
        json!({"email": VICTIM, "role": "ADMIN", "languagePref": "en", "farmId": "a"}),
    )
    .await;
    let signed_in = by_code(&app, VICTIM).await.expect("a code");
    let victim = person(&signed_in, VICTIM);
    accept(&app, Some(&victim), &token, json!({}))
        .await
        .expect(StatusCode::OK);
    assert!(opens(&app, &victim).await);
    if let Some(thiefs) = by_code(&app, mine).await {
        assert!(
            !opens(&app, &person(&thiefs, "")).await,
            "by the thief's number"
        );
    }
}

#[tokio::test]
async fn a_squatted_address_does_not_stop_its_owner() {
    let app = App::demo().await;
    register(&app, VICTIM, None).await;
    // she registers herself, and works in a farm of her own
    let body = json!({"name": "Victoria", "email": VICTIM, "password": "her own password"});
    let made = app.post("/auth/register", &body).await;
    let hers = person(&made.expect(StatusCode::CREATED), VICTIM);
    let farm = app.get(&hers, "/api/farms").await.expect(StatusCode::OK)[0]["id"].clone();
    let login = json!({"contact": VICTIM, "password": "her own password"});
    app.post("/auth/login", &login).await.expect(StatusCode::OK);
    // and by code she has it too, first of all
    let signed_in = by_code(&app, VICTIM).await.expect("a code");
    let victim = person(&signed_in, VICTIM);
    let farms = app.get(&victim, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms[0]["id"], farm);
    let thiefs = json!({"contact": VICTIM, "password": "a thief's password"});
    app.post("/auth/login", &thiefs)
        .await
        .expect(StatusCode::UNAUTHORIZED);
}

/// An hour passes for the sign-ins.
const AN_HOUR: &str =
    "UPDATE sessions SET confirmed_at = confirmed_at - 3600000, created_at = created_at - 3600000";

#[tokio::test]
async fn who_registered_keeps_the_password_by_verifying_the_address_at_once() {
    let app = App::demo().await;
    let thief = register(&app, VICTIM, None).await;
    let body = json!({"name": "Victoria", "email": VICTIM, "mobile": VICTIMS_PHONE, "password": "her own password"});
    let made = app.post("/auth/register", &body).await;
    let hers = person(&made.expect(StatusCode::CREATED), VICTIM);
    let contact = json!({"contact": VICTIM});
    let code = async || {
        app.meddle("DELETE FROM outbox").await;
        app.meddle("UPDATE codes SET created_at = created_at - 61000")
            .await;
        app.call(&hers, Method::POST, "/auth/contacts/code", &contact)
            .await
            .expect(StatusCode::OK);
        app.sent(VICTIM).await["code"].clone()
    };
    let verify = async |code: Value| {
        let body = json!({"contact": VICTIM, "otp": code});
        app.call(&hers, Method::POST, "/auth/contacts/verify", &body)
            .await
    };
    let right = code().await;
    let wrong = if right == "000000" {
        "000001"
    } else {
        "000000"
    };
    verify(json!(wrong))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let me = verify(right).await.expect(StatusCode::OK);
    assert_eq!(
        (&me["user"]["emailVerified"], &me["user"]["phoneVerified"]),
        (&json!(true), &json!(false))
    );
    let login = json!({"contact": VICTIM, "password": "her own password"});
    app.post("/auth/login", &login).await.expect(StatusCode::OK);
    // the account of whoever only claimed the address is gone, with its sign-ins
    app.get(&thief, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    // what one does not claim is not sent a code
    let other = json!({"contact": "other@kheti.test"});
    app.call(&hers, Method::POST, "/auth/contacts/code", &other)
        .await
        .expect(StatusCode::NOT_FOUND);
    // a claimed number beside a verified address opens nothing
    assert_eq!(by_code(&app, VICTIMS_PHONE).await, None);
}

#[tokio::test]
async fn a_stolen_token_does_not_become_the_account() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let other = Person {
        token: app.sign_in(&owner.email).await,
        id: owner.id.clone(),
        email: owner.email.clone(),
    };
    app.meddle(AN_HOUR).await;
    let phone = json!({"phone": VICTIMS_PHONE});
    let refused = app.call(&owner, Method::PATCH, "/auth/me", &phone).await;
    assert_eq!(
        refused.expect(StatusCode::FORBIDDEN)["code"],
        "confirm_needed"
    );
    // a form that sends the same number again changes nothing
    app.call(
        &owner,
        Method::PATCH,
        "/auth/me",
        &json!({"name": "Asha P", "phone": ""}),
    )
    .await
    .expect(StatusCode::OK);
    let confirm = async |body: Value| app.call(&owner, Method::POST, "/auth/confirm", &body).await;
    confirm(json!({"password": "a guess"}))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    confirm(json!({"password": PASSWORD}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let me = app.call(&owner, Method::PATCH, "/auth/me", &phone).await;
    let me = me.expect(StatusCode::OK);
    assert_eq!(
        (&me["user"]["phone"], &me["user"]["phoneVerified"]),
        (&json!(VICTIMS_PHONE), &json!(false))
    );
    // nothing is taken away by a claim
    app.get(&other, "/auth/me").await.expect(StatusCode::OK);
    // by a code as well
    app.meddle(AN_HOUR).await;
    app.call(&owner, Method::POST, "/auth/confirm/code", &json!({}))
        .await
        .expect(StatusCode::OK);
    let code = app.sent(&owner.email).await["code"].clone();
    confirm(json!({"otp": code}))
        .await
        .expect(StatusCode::NO_CONTENT);
    // once it is verified the other sign-ins end; another one takes its place, and it is told
    let verify = async |number: &str| {
        app.call(
            &owner,
            Method::POST,
            "/auth/contacts/code",
            &json!({"contact": number}),
        )
        .await
        .expect(StatusCode::OK);
        let otp = app.sent(number).await["code"].clone();
        let body = json!({"contact": number, "otp": otp});
        app.call(&owner, Method::POST, "/auth/contacts/verify", &body)
            .await
            .expect(StatusCode::OK)
    };
    verify(VICTIMS_PHONE).await;
    app.get(&other, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    let next = json!({"phone": "9000000002"});
    let me = app.call(&owner, Method::PATCH, "/auth/me", &next).await;
    let me = me.expect(StatusCode::OK);
    assert_eq!(
        (
            &me["user"]["phone"],
            &me["user"]["phoneVerified"],
            &me["user"]["pendingPhone"]
        ),
        (&json!(VICTIMS_PHONE), &json!(true), &json!("+919000000002"))
    );
    let me = verify("+919000000002").await;
    assert_eq!(me["user"]["phone"], "+919000000002");
    let told = app.sent(VICTIMS_PHONE).await;
    assert_eq!(
        (&told["kind"], &told["code"]),
        (&json!("NOTICE"), &json!(null))
    );
}

#[tokio::test]
async fn who_manages_a_person_cannot_change_the_contact_in_silence() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let manager = app.person("a", Role::FarmManager).await;
    let path = format!("/api/farms/a/users/{}", manager.id);
    let theft = json!({"email": "thief@x.test"});
    let changed = app.call(&owner, Method::PATCH, &path, &theft).await;
    let changed = changed.expect(StatusCode::OK);
    assert_eq!(
        (&changed["email"], &changed["isVerified"]),
        (&json!("thief@x.test"), &json!(false))
    );
    app.get(&manager, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    assert_eq!(app.sent(&manager.email).await["kind"], "NOTICE");
    assert_eq!(by_code(&app, &manager.email).await, None);
    // and who lost a phone is signed out by whoever manages the farm's people
    let viewer = app.person("a", Role::Viewer).await;
    let path = format!("/api/farms/a/users/{}/sessions", viewer.id);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&viewer, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn messages_are_sealed_and_go_when_they_are_used() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let token = invite(
        &app,
        &owner,
        json!({"email": VICTIM, "role": "VIEWER", "languagePref": "en", "farmId": "a"}),
    )
    .await;
    app.post("/auth/send-otp", &json!({"contact": owner.email}))
        .await
        .expect(StatusCode::OK);
    let code = app.sent(&owner.email).await["code"].clone();
    let code = code.as_str().expect("a code");
    let bytes = crate::database::stored(app.place()).await;
    let has = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has(&owner.email), "what is stored can be read");
    assert!(!has(&token), "the link");
    assert!(!has(&format!("{code} is your Harit code")), "the code");
    app.post(
        "/auth/verify-otp",
        &json!({"contact": owner.email, "otp": code}),
    )
    .await
    .expect(StatusCode::OK);
    let body = json!({"token": token, "name": "Victoria"});
    app.post("/onboarding/invite/open", &json!({"token": token}))
        .await
        .expect(StatusCode::OK);
    app.post("/onboarding/invite/accept", &body)
        .await
        .expect(StatusCode::OK);
    let outbox = app.send(app.request(Method::GET, "/api/demo/outbox")).await;
    assert_eq!(outbox.expect(StatusCode::OK), json!({"messages": []}));
}

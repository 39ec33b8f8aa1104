//! Inviting people, and accepting.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, App, PASSWORD, Person};

async fn invite(app: &App, by: &Person, contact: &str, role: &str) -> Answer {
    let field = if contact.contains('@') {
        "email"
    } else {
        "mobile"
    };
    let body = json!({field: contact, "role": role, "languagePref": "hi", "farmId": "a"});
    app.call(by, Method::POST, "/onboarding/invite-user", &body)
        .await
}

async fn link(app: &App, contact: &str) -> String {
    let message = app.sent(contact).await;
    let link = message["link"].as_str().expect("a link");
    path_of(link)
}

/// Where the API shows what a link leads to.
fn path_of(link: &str) -> String {
    let (page, token) = link.split_once('#').expect("a fragment");
    assert!(page.contains("/invite?lang="), "{link}");
    format!("/onboarding/invite/{token}")
}

/// What the list says became of the invite of a contact.
async fn outcome(app: &App, owner: &Person, contact: &str) -> Value {
    let listed = app.get(owner, "/onboarding/invites?farmId=a").await;
    let listed = listed.expect(StatusCode::OK);
    let mut of = listed["invites"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|i| i["contact"] == contact);
    let (one, other) = (of.next().expect("it is listed"), of.next());
    assert!(other.is_none(), "one a contact");
    one.clone()
}

#[tokio::test]
async fn an_invite_is_accepted_once() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let made = invite(&app, &owner, "new@x.test", "FARM_MANAGER")
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(made["invite"]["contact"], "new@x.test");
    assert_eq!(made["invite"]["role"], "FARM_MANAGER");
    assert_eq!(made["invite"]["languagePref"], "hi");
    let link = link(&app, "new@x.test").await;
    assert!(
        !made
            .to_string()
            .contains(link.trim_start_matches("/onboarding/invite/")),
        "who invites must not be able to show that the contact is theirs"
    );
    assert_eq!(outcome(&app, &owner, "new@x.test").await["state"], "open");
    let shown = app
        .send(app.request(Method::GET, &link))
        .await
        .expect(StatusCode::OK);
    assert_eq!(shown["invite"]["farmName"], "Green Valley");
    assert_eq!(shown["invite"]["hasAccount"], false);
    let accept = format!("{link}/accept");
    let nameless = app.post(&accept, &json!({"password": PASSWORD})).await;
    assert_eq!(
        nameless.expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
        "Full name is required"
    );
    let body = json!({"name": "Ravi More", "password": PASSWORD, "role": "OWNER"});
    let all = futures_util::future::join_all((0..10).map(|_| app.post(&accept, &body))).await;
    let (mut ok, gone): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|a| a.status == StatusCode::OK);
    assert_eq!((ok.len(), gone.len()), (1, 9));
    let ravi: Value = ok.remove(0).json();
    assert_eq!(ravi["user"]["role"], "FARM_MANAGER");
    assert_eq!(ravi["user"]["languagePref"], "hi");
    app.send(app.request(Method::GET, &link))
        .await
        .expect(StatusCode::NOT_FOUND);
    let outcome = outcome(&app, &owner, "new@x.test").await;
    assert_eq!(outcome["state"], "accepted");
    assert_eq!(outcome["acceptedBy"], "Ravi More");
    assert!(outcome["acceptedAt"].as_i64() >= outcome["createdAt"].as_i64());
    // the link to pass on is used up with the other one
    let shared = path_of(made["link"].as_str().expect("a link"));
    app.send(app.request(Method::GET, &shared))
        .await
        .expect(StatusCode::NOT_FOUND);
    let again = invite(&app, &owner, "new@x.test", "VIEWER").await;
    assert_eq!(again.expect(StatusCode::CONFLICT)["code"], "already_member");
}

#[tokio::test]
async fn nobody_invites_above_themselves() {
    let app = App::demo().await;
    app.farm("a").await;
    app.farm("b").await;
    let admin = app.person("a", Role::Admin).await;
    let manager = app.person("a", Role::FarmManager).await;
    let other = app.person("b", Role::Owner).await;
    for role in ["OWNER", "ADMIN"] {
        invite(&app, &admin, "x@x.test", role)
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    invite(&app, &manager, "x@x.test", "VIEWER")
        .await
        .expect(StatusCode::FORBIDDEN);
    invite(&app, &other, "x@x.test", "VIEWER")
        .await
        .expect(StatusCode::NOT_FOUND);
    let made = invite(&app, &admin, "x@x.test", "VIEWER")
        .await
        .expect(StatusCode::CREATED);
    let path = format!(
        "/onboarding/invites/{}",
        made["invite"]["id"].as_str().expect("an id")
    );
    // another farm's owner finds no such invite
    app.call(&other, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
    let link = link(&app, "x@x.test").await;
    // an inviter who may no longer invite takes the invite along
    app.records
        .set_role(&admin.id, "a", Role::Viewer)
        .await
        .expect("stored");
    let accept = format!("{link}/accept");
    let body = json!({"name": "Ravi More"});
    app.post(&accept, &body).await.expect(StatusCode::NOT_FOUND);
    app.records
        .set_role(&admin.id, "a", Role::Admin)
        .await
        .expect("stored");
    app.call(&admin, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.post(&accept, &body).await.expect(StatusCode::NOT_FOUND);
    for (body, said) in [
        (
            json!({"role": "VIEWER", "languagePref": "en"}),
            "Email or mobile number is required",
        ),
        (
            json!({"email": "x@x.test", "languagePref": "en"}),
            "Role is required",
        ),
        (
            json!({"email": "x@x.test", "role": "VIEWER"}),
            "Language preference is required",
        ),
    ] {
        let answer = app
            .call(&admin, Method::POST, "/onboarding/invite-user", &body)
            .await;
        assert_eq!(
            answer.expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
            said
        );
    }
}

#[tokio::test]
async fn a_link_that_was_passed_on_proves_no_contact() {
    let app = App::demo().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let phone = "+919812345678";
    let made = invite(&app, &owner, phone, "VIEWER")
        .await
        .expect(StatusCode::CREATED);
    let shared = made["link"].as_str().expect("a link");
    let message = made["message"].as_str().expect("a message");
    assert!(
        message.contains(shared) && message.contains("न्योता"),
        "{message}"
    );
    let path = path_of(shared);
    let shown = app.send(app.request(Method::GET, &path)).await;
    assert_eq!(shown.expect(StatusCode::OK)["invite"]["shared"], true);
    // without a password nobody could come back
    let accept = format!("{path}/accept");
    let refused = app.post(&accept, &json!({"name": "Sunita"})).await;
    assert_eq!(
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
        "Password is required"
    );
    let body = json!({"name": "Sunita", "password": PASSWORD});
    let all = futures_util::future::join_all((0..5).map(|_| app.post(&accept, &body))).await;
    let ok: Vec<_> = all.iter().filter(|a| a.status == StatusCode::OK).collect();
    assert_eq!(ok.len(), 1, "for one use");
    let people = app.get(&owner, "/api/farms/a/users").await;
    let people = people.expect(StatusCode::OK);
    let users = people["users"].as_array().expect("a list");
    let sunita: Vec<_> = users.iter().filter(|u| u["phone"] == phone).collect();
    assert_eq!(sunita.len(), 1);
    assert_eq!(sunita[0]["isVerified"], false);
    let sign_in = json!({"contact": phone, "password": PASSWORD});
    app.post("/auth/login", &sign_in)
        .await
        .expect(StatusCode::OK);
    // the sent one is used up too
    assert_eq!(
        app.meddle("DELETE FROM outbox WHERE kind = 'INVITE' AND sealed IS NOT NULL")
            .await,
        0
    );
    // whose contact is verified is asked for the password, whichever link it is
    let guest = app.person("b", Role::Owner).await;
    let made = invite(&app, &owner, &guest.email, "VIEWER")
        .await
        .expect(StatusCode::CREATED);
    let accept = path_of(made["link"].as_str().expect("a link")) + "/accept";
    let guess = json!({"name": "Sunita", "password": "not the owner's own"});
    app.post(&accept, &guess)
        .await
        .expect(StatusCode::FORBIDDEN);
    app.post(&accept, &json!({"password": PASSWORD}))
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
async fn an_invite_is_made_again_and_taken_back() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let first = invite(&app, &owner, "x@x.test", "VIEWER").await;
    let first = first.expect(StatusCode::CREATED);
    app.meddle("UPDATE invites SET expires_at = 1").await;
    assert_eq!(outcome(&app, &owner, "x@x.test").await["state"], "expired");
    let again = invite(&app, &owner, "x@x.test", "FARM_MANAGER").await;
    let again = again.expect(StatusCode::CREATED);
    assert_ne!(again["link"], first["link"]);
    let now = outcome(&app, &owner, "x@x.test").await;
    assert_eq!(
        (&now["state"], &now["role"]),
        (&json!("open"), &json!("FARM_MANAGER"))
    );
    let path = format!("/onboarding/invites/{}", now["id"].as_str().expect("an id"));
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(
        outcome(&app, &owner, "x@x.test").await["state"],
        "withdrawn"
    );
    for made in [&first, &again] {
        let shared = path_of(made["link"].as_str().expect("a link"));
        app.send(app.request(Method::GET, &shared))
            .await
            .expect(StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_mobile_number_is_enough() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let new =
        json!({"name": "Sunita", "phone": "9812345670", "role": "VIEWER", "languagePref": "mr"});
    let added = app
        .call(&owner, Method::POST, "/api/farms/a/users", &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&added["email"], &added["phone"]),
        (&Value::Null, &json!("+919812345670"))
    );
    let new = json!({"name": "Meena Jadhav", "mobile": "9812345671", "password": PASSWORD});
    let registered = app.post("/auth/register", &new).await;
    assert_eq!(
        registered.expect(StatusCode::CREATED)["user"]["phone"],
        "+919812345671"
    );
    for path in ["/auth/register", "/api/farms/a/users"] {
        let new = json!({"name": "Nobody", "role": "VIEWER", "languagePref": "mr"});
        let refused = app.call(&owner, Method::POST, path, &new).await;
        assert_eq!(
            refused.expect(StatusCode::UNPROCESSABLE_ENTITY)["error"],
            "Email is required"
        );
    }
}

#[tokio::test]
async fn a_link_opens_nobodys_account() {
    let app = App::demo().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let guest = app.person("b", Role::Owner).await;
    let thief = app.stranger("thief@x.test").await;
    invite(&app, &owner, &guest.email, "VIEWER")
        .await
        .expect(StatusCode::CREATED);
    let accept = format!("{}/accept", link(&app, &guest.email).await);
    for body in [
        json!({"name": "Thief"}),
        json!({"name": "Thief", "password": "my own password"}),
    ] {
        let refused = app.post(&accept, &body).await;
        assert_eq!(
            refused.expect(StatusCode::FORBIDDEN)["code"],
            "sign_in_to_accept"
        );
        app.call(&thief, Method::POST, &accept, &body)
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    app.call(&guest, Method::POST, &accept, &json!({}))
        .await
        .expect(StatusCode::OK);
    let farms = app.get(&guest, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms.as_array().map(Vec::len), Some(2));
    // another one by the password alone
    app.farm("c").await;
    let third = app.person("c", Role::Owner).await;
    let body = json!({"email": guest.email, "role": "VIEWER", "languagePref": "en"});
    app.call(&third, Method::POST, "/onboarding/invite-user", &body)
        .await
        .expect(StatusCode::CREATED);
    let accept = format!("{}/accept", link(&app, &guest.email).await);
    app.post(&accept, &json!({"password": PASSWORD}))
        .await
        .expect(StatusCode::OK);
    // a link that is too old
    invite(&app, &owner, "9876543210", "VIEWER")
        .await
        .expect(StatusCode::CREATED);
    let link = link(&app, "+919876543210").await;
    app.meddle("UPDATE invites SET expires_at = 1").await;
    app.send(app.request(Method::GET, &link))
        .await
        .expect(StatusCode::NOT_FOUND);
}

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
    let (_, token) = link.split_once("/invite#").expect("a fragment");
    format!("/onboarding/invite/{token}")
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
        "who invites must not be able to accept"
    );
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
    let listed = app
        .get(&owner, "/onboarding/invites?farmId=a")
        .await
        .expect(StatusCode::OK);
    assert_eq!(listed, json!({"invites": []}));
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

//! Tokens of programs: what each may, on every route of the document; how they end; that nothing keeps them.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use harit_api::{ApiConfig, NoProvider, Role};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::access::{Who, routes, status, who};
use crate::live::Socket;
use crate::support::{App, PASSWORD, Person};

/// What a program may look at beside a farm.
const OF_NO_FARM: [&str; 5] = [
    "/auth/me/told",
    "/auth/me",
    "/api/farms",
    "/api/sensor-types",
    "/api/device-profiles",
];
/// What commands, stops and locks devices.
const CONTROLS: [&str; 6] = [
    "/api/farms/{farmId}/commands",
    "/api/farms/{farmId}/work/commands",
    "/api/farms/{farmId}/devices/{deviceId}/lock",
    "/api/farms/{farmId}/devices/{deviceId}/unlock",
    "/api/farms/{farmId}/stop",
    "/api/farms/{farmId}/stop/open",
];

/// Makes a token; whoever presents it counts as a person of that name.
async fn token(app: &App, owner: &Person, scope: &str, farms: &[&str]) -> Person {
    let body =
        json!({"name": format!("{scope} of {}", farms.join(" ")), "scope": scope, "farms": farms});
    let made = app.call(owner, Method::POST, "/auth/tokens", &body).await;
    let made = made.expect(StatusCode::CREATED);
    Person {
        id: made["token"]["id"].as_str().expect("an id").to_owned(),
        email: owner.email.clone(),
        token: made["secret"].as_str().expect("a secret").to_owned(),
    }
}

/// What a token of that scope is answered on a route, of somebody who is or is not allowed to use it.
fn expected(method: &Method, path: &str, allowed: bool, controls: bool) -> Option<&'static str> {
    let looks = *method == Method::GET;
    let onboarding = path.starts_with("/onboarding/");
    match (looks, allowed) {
        // refused before the farm is looked at: nothing there is for programs
        (false, _) if onboarding => Some("token_scope"),
        (_, false) => Some("not_permitted"),
        (true, true) => None,
        (false, true) if controls && CONTROLS.contains(&path) => None,
        (false, true) => Some("token_scope"),
    }
}

#[tokio::test]
async fn a_token_does_what_its_scope_and_its_owners_role_both_allow() {
    let app = App::start().await;
    app.farm("a").await;
    for role in Role::ALL {
        let person = app.person("a", role).await;
        for scope in ["READ", "CONTROL"] {
            let program = token(&app, &person, scope, &["a"]).await;
            let mut let_through = BTreeMap::<bool, u32>::new();
            for (method, path) in routes() {
                let refused = match who(&method, &path) {
                    Who::Anybody | Who::Controllers => continue,
                    Who::SignedIn => {
                        let may = method == Method::GET && OF_NO_FARM.contains(&path.as_str());
                        (!may).then_some("token_scope")
                    }
                    Who::Roles(allowed) => {
                        expected(&method, &path, allowed.contains(&role), scope == "CONTROL")
                    }
                };
                let (answer, body) = status(&app, Some(&program), &method, &path, "a").await;
                let what = format!("{method} {path}, {scope} of {}: {body}", role.as_str());
                assert!(!answer.is_server_error(), "{what}");
                assert_ne!(answer, StatusCode::UNAUTHORIZED, "{what}");
                match refused {
                    Some(code) => {
                        assert_eq!(answer, StatusCode::FORBIDDEN, "{what}");
                        assert_eq!(body["code"], code, "{what}");
                    }
                    None => assert_ne!(answer, StatusCode::FORBIDDEN, "{what}"),
                }
                *let_through.entry(refused.is_none()).or_default() += 1;
            }
            assert!(
                let_through[&true] >= 6 && let_through[&false] >= 60,
                "{let_through:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_dead_token_and_one_of_another_farm_open_nothing() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    app.records
        .set_role(&owner.id, "b", Role::Owner)
        .await
        .expect("a role");
    let expired = token(&app, &owner, "CONTROL", &["a"]).await;
    assert_eq!(app.meddle("UPDATE tokens SET expires_at = 1").await, 1);
    let revoked = token(&app, &owner, "CONTROL", &["a"]).await;
    let path = format!("/auth/tokens/{}", revoked.id);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let mut mistyped = token(&app, &owner, "CONTROL", &["a"]).await;
    let last = mistyped.token.pop().expect("a digit");
    mistyped.token.push(if last == '0' { '1' } else { '0' });
    let foreign = token(&app, &owner, "CONTROL", &["b"]).await;
    for (method, path) in routes() {
        if matches!(who(&method, &path), Who::Anybody) {
            continue;
        }
        for (what, dead) in [
            ("expired", &expired),
            ("revoked", &revoked),
            ("mistyped", &mistyped),
        ] {
            let (answer, body) = status(&app, Some(dead), &method, &path, "a").await;
            assert_eq!(answer, StatusCode::UNAUTHORIZED, "{method} {path}, {what}");
            assert_eq!(body["code"], "unauthenticated", "{method} {path}, {what}");
        }
        if matches!(who(&method, &path), Who::Roles(_)) {
            let (answer, body) = status(&app, Some(&foreign), &method, &path, "a").await;
            let program = method != Method::GET && path.starts_with("/onboarding/");
            let refusal = if program {
                StatusCode::FORBIDDEN
            } else {
                StatusCode::NOT_FOUND
            };
            assert_eq!(answer, refusal, "{method} {path}: {body}");
        }
    }
    let farms = app.get(&foreign, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&farms[0]["id"], &farms[0]["manages"]),
        (&json!("b"), &json!([]))
    );
    let may = farms[0]["permissions"].as_array().expect("permissions");
    assert!(
        may.contains(&json!("devices:stop")) && may.contains(&json!("farm:read")),
        "{may:?}"
    );
    assert!(
        !may.contains(&json!("rules:write")) && !may.contains(&json!("users:write")),
        "{may:?}"
    );
}

#[tokio::test]
async fn a_token_loses_what_its_owner_loses_at_once_and_for_good() {
    let app = App::start().await;
    app.farm("a").await;
    let person = app.person("a", Role::Admin).await;
    let program = token(&app, &person, "CONTROL", &["a"]).await;
    let summary = "/api/farms/a/summary";
    app.get(&program, "/api/farms/a/dead-letters")
        .await
        .expect(StatusCode::OK);
    app.records
        .set_role(&person.id, "a", Role::Viewer)
        .await
        .expect("a role");
    app.get(&program, "/api/farms/a/dead-letters")
        .await
        .expect(StatusCode::FORBIDDEN);
    app.get(&program, summary).await.expect(StatusCode::OK);
    app.records
        .remove_role(&person.id, "a")
        .await
        .expect("removed");
    app.get(&program, summary)
        .await
        .expect(StatusCode::UNAUTHORIZED);
    // who comes back makes a new one
    app.records
        .set_role(&person.id, "a", Role::Owner)
        .await
        .expect("a role");
    app.get(&program, summary)
        .await
        .expect(StatusCode::NOT_FOUND);
    app.get(&person, summary).await.expect(StatusCode::OK);
    let other = token(&app, &person, "READ", &["a"]).await;
    app.records
        .set_user_active(&person.id, false)
        .await
        .expect("stored");
    app.get(&other, summary)
        .await
        .expect(StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_token_is_shown_once_and_kept_nowhere() {
    let (app, owner) = App::with_owner().await;
    let body =
        json!({"name": " Grafana ", "scope": "READ", "farms": ["a", "a"], "expiresAt": null});
    let request = app
        .request(Method::POST, "/auth/tokens")
        .bearer_auth(&owner.token);
    let request = request.header("idempotency-key", "once").json(&body);
    let made = app.send(request).await.expect(StatusCode::CREATED);
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    assert!(
        secret.starts_with("harit_") && secret.len() == 78,
        "{secret}"
    );
    let listed = app.get(&owner, "/auth/tokens").await.expect(StatusCode::OK);
    let [one] = listed["tokens"].as_array().expect("a list").as_slice() else {
        panic!("{listed}");
    };
    assert_eq!(*one, made["token"]);
    assert_eq!(
        (&one["name"], &one["farms"]),
        (&json!("Grafana"), &json!(["a"]))
    );
    assert_eq!(
        (&one["lastUsedAt"], &one["expired"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(one["start"], secret[..12]);
    let program = Person {
        id: String::new(),
        email: String::new(),
        token: secret.clone(),
    };
    app.get(&program, "/auth/me").await.expect(StatusCode::OK);
    let at = |listed: &Value| listed["tokens"][0]["lastUsedAt"].as_i64();
    let used = at(&app.get(&owner, "/auth/tokens").await.expect(StatusCode::OK));
    assert!(used.is_some());
    // further uses within ten minutes are not written down
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        app.get(&program, "/auth/me").await.expect(StatusCode::OK);
    }
    assert_eq!(
        at(&app.get(&owner, "/auth/tokens").await.expect(StatusCode::OK)),
        used
    );
    app.meddle("UPDATE tokens SET last_used_at = last_used_at - 600001")
        .await;
    app.get(&program, "/auth/me").await.expect(StatusCode::OK);
    assert!(at(&app.get(&owner, "/auth/tokens").await.expect(StatusCode::OK)) >= used);
    let mut files = 0;
    for file in fs::read_dir(app.dir()).expect("a directory") {
        let path = file.expect("an entry").path();
        if path.is_file() {
            let bytes = fs::read(&path).expect("a file");
            let kept = bytes.windows(64).any(|w| w == &secret.as_bytes()[6..70]);
            assert!(!kept, "{}", path.display());
            files += 1;
        }
    }
    assert!(files >= 2, "{files}");
}

#[tokio::test]
async fn what_is_wrong_with_a_token_is_said_field_by_field() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("now");
    let now = i64::try_from(now.as_millis()).expect("a number");
    let good = json!({"name": "n", "scope": "READ", "farms": ["a"]});
    let long = "x".repeat(81);
    for (field, value) in [
        ("name", json!("")),
        ("name", json!(long)),
        ("scope", json!("WRITE")),
        ("farms", json!([])),
        ("farms", json!(["a", "b"])),
        ("expiresAt", json!(now - 1)),
        ("expiresAt", json!(now + 6 * 366 * 86_400_000)),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let said = app.call(&owner, Method::POST, "/auth/tokens", &bad).await;
        let said = said.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(said["problems"][0]["path"], field, "{said}");
    }
    for n in 0..20 {
        let mut one = good.clone();
        one["expiresAt"] = json!(now + 60_000 + n);
        app.call(&owner, Method::POST, "/auth/tokens", &one)
            .await
            .expect(StatusCode::CREATED);
    }
    let full = app.call(&owner, Method::POST, "/auth/tokens", &good).await;
    assert_eq!(full.expect(StatusCode::CONFLICT)["code"], "too_many_tokens");
    // one that has ended makes room
    assert_eq!(
        app.meddle("UPDATE tokens SET expires_at = 1 WHERE id = (SELECT MIN(id) FROM tokens)")
            .await,
        1
    );
    app.call(&owner, Method::POST, "/auth/tokens", &good)
        .await
        .expect(StatusCode::CREATED);
    let nothing = app
        .call(&owner, Method::DELETE, "/auth/tokens/nothing", &json!({}))
        .await;
    nothing.expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn only_who_has_just_shown_that_it_is_them_makes_a_token() {
    let (app, owner) = App::with_owner().await;
    app.meddle("UPDATE sessions SET confirmed_at = confirmed_at - 300001")
        .await;
    let body = json!({"name": "n", "scope": "READ", "farms": ["a"]});
    let refused = app.call(&owner, Method::POST, "/auth/tokens", &body).await;
    assert_eq!(
        refused.expect(StatusCode::FORBIDDEN)["code"],
        "confirm_needed"
    );
    let confirm = json!({"password": PASSWORD});
    app.call(&owner, Method::POST, "/auth/confirm", &confirm)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.call(&owner, Method::POST, "/auth/tokens", &body)
        .await
        .expect(StatusCode::CREATED);
}

#[tokio::test]
async fn the_log_names_the_token_and_whose_it_is() {
    let (app, owner) = App::with_owner().await;
    let program = token(&app, &owner, "CONTROL", &["a"]).await;
    let why = json!({"reason": "belt"});
    app.call(
        &program,
        Method::POST,
        "/api/farms/a/devices/fan-1/lock",
        &why,
    )
    .await
    .expect(StatusCode::OK);
    let path = format!("/auth/tokens/{}", program.id);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let all = app.audited("a", "%").await;
    let entry = |action: &str| {
        let found = all.iter().find(|(a, _)| a == action);
        found
            .unwrap_or_else(|| panic!("{action}: {all:?}"))
            .1
            .clone()
    };
    assert_eq!(
        entry("device_lock")["token"],
        json!({"id": program.id, "name": "CONTROL of a"})
    );
    assert_eq!(entry("token_made")["name"], "CONTROL of a");
    assert_eq!(entry("token_revoked")["name"], "CONTROL of a");
    assert!(entry("token_made").get("secret").is_none());
    let by = "UPDATE audit_heads SET seq = seq WHERE farm_id = 'a' AND EXISTS (SELECT 1 FROM audit WHERE action = 'device_lock' \
              AND actor = 'Asha Patil (CONTROL of a)')";
    assert_eq!(app.meddle(by).await, 1, "{all:?}");
}

#[tokio::test]
async fn a_program_uses_up_its_own_budget_alone() {
    let config = ApiConfig {
        reads_per_user: 10,
        ..ApiConfig::default()
    };
    let app = App::with(config, std::sync::Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let (one, other) = (
        token(&app, &owner, "READ", &["a"]).await,
        token(&app, &owner, "READ", &["a"]).await,
    );
    let mut looked = 0;
    while app.get(&one, "/api/farms/a/devices").await.status == StatusCode::OK {
        looked += 1;
        assert!(looked < 20);
    }
    assert!(looked >= 10, "{looked}");
    app.get(&other, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    app.get(&owner, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
async fn a_program_hears_its_farm_until_its_token_ends() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    app.records
        .set_role(&owner.id, "b", Role::Owner)
        .await
        .expect("a role");
    let program = token(&app, &owner, "READ", &["a"]).await;
    let mut socket = Socket::signed_in(&app, &program).await;
    assert_eq!(
        socket.subscribe(&json!({"farmId": "b"})).await["code"],
        "not_found"
    );
    assert_eq!(socket.subscribe(&json!({"farmId": "a"})).await["ok"], true);
    let path = format!("/auth/tokens/{}", program.id);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    socket.ended().await;
}

#[tokio::test]
async fn an_owner_sees_all_tokens_that_reach_the_farm_and_ends_them_there() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    let manager = app.person("a", Role::FarmManager).await;
    app.records
        .set_role(&manager.id, "b", Role::Owner)
        .await
        .expect("a role");
    let both = token(&app, &manager, "CONTROL", &["a", "b"]).await;
    let elsewhere = token(&app, &manager, "READ", &["b"]).await;
    let own = token(&app, &owner, "READ", &["a"]).await;
    app.get(&both, "/api/farms/a/summary")
        .await
        .expect(StatusCode::OK);
    let list = "/api/farms/a/tokens";
    let listed = app.get(&owner, list).await.expect(StatusCode::OK);
    let text = listed.to_string();
    for secret in [&both, &own, &elsewhere] {
        assert!(!text.contains(&secret.token[..12]), "{text}");
    }
    assert!(!text.contains(&elsewhere.id), "{text}");
    let tokens = listed["tokens"].as_array().expect("a list");
    let found = |id: &str| tokens.iter().find(|t| t["id"] == id).cloned();
    assert_eq!(tokens.len(), 2, "{text}");
    let theirs = found(&both.id).expect("the manager's");
    assert_eq!(theirs["ownerId"], manager.id);
    assert_eq!(
        (&theirs["scope"], &theirs["expired"], &theirs["expiresAt"]),
        (&json!("CONTROL"), &json!(false), &Value::Null)
    );
    assert!(theirs["lastUsedAt"].is_i64(), "{theirs}");
    assert_eq!(theirs.get("farms"), None);
    assert_eq!(found(&own.id).expect("one's own")["ownerId"], owner.id);

    let mut socket = Socket::signed_in(&app, &both).await;
    assert_eq!(socket.subscribe(&json!({"farmId": "a"})).await["ok"], true);
    for id in [elsewhere.id.as_str(), "none"] {
        let path = format!("{list}/{id}");
        let answer = app.call(&owner, Method::DELETE, &path, &json!({})).await;
        answer.expect(StatusCode::NOT_FOUND);
    }
    let path = format!("{list}/{}", both.id);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&both, "/api/farms/a/summary")
        .await
        .expect(StatusCode::NOT_FOUND);
    // what it does elsewhere is nobody's matter here
    app.get(&both, "/api/farms/b/summary")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        socket.subscribe(&json!({"farmId": "a"})).await["code"],
        "not_found"
    );
    let entries = app.audited("a", "token_revoked").await;
    let [(_, details)] = entries.as_slice() else {
        panic!("{entries:?}");
    };
    assert_eq!(details["name"], "CONTROL of a b");
    assert!(details["owner"].is_string(), "{details}");
    assert!(app.audited("b", "token_revoked").await.is_empty());
}

#[tokio::test]
async fn a_reset_account_keeps_no_token() {
    let app = App::demo().await;
    let body =
        json!({"name": "Eve", "email": "asha@kheti.test", "password": "a long password of hers"});
    let made = app
        .post("/auth/register", &body)
        .await
        .expect(StatusCode::CREATED);
    let claimed = Person {
        id: made["user"]["id"].as_str().expect("an id").to_owned(),
        email: String::new(),
        token: made["token"].as_str().expect("a token").to_owned(),
    };
    let farms = app.get(&claimed, "/api/farms").await.expect(StatusCode::OK);
    let farm = farms[0]["id"].as_str().expect("an id").to_owned();
    let program = token(&app, &claimed, "READ", &[&farm]).await;
    let summary = format!("/api/farms/{farm}/summary");
    app.get(&program, &summary).await.expect(StatusCode::OK);
    // whoever reads that mail takes the account over
    app.post("/auth/send-otp", &json!({"contact": "asha@kheti.test"}))
        .await
        .expect(StatusCode::OK);
    let code = app.sent("asha@kheti.test").await["code"].clone();
    let body = json!({"contact": "asha@kheti.test", "otp": code});
    let opened = app
        .post("/auth/verify-otp", &body)
        .await
        .expect(StatusCode::OK);
    app.get(&program, &summary)
        .await
        .expect(StatusCode::UNAUTHORIZED);
    let theirs = Person {
        id: String::new(),
        email: String::new(),
        token: opened["token"].as_str().expect("a token").to_owned(),
    };
    // so does a password that was set by a code
    let program = token(&app, &theirs, "READ", &[&farm]).await;
    let body = json!({"password": "another long password"});
    app.call(&theirs, Method::POST, "/auth/set-password", &body)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&program, &summary)
        .await
        .expect(StatusCode::UNAUTHORIZED);
    // one that replaces the old password, which was given, does not
    let program = token(&app, &theirs, "READ", &[&farm]).await;
    let body =
        json!({"currentPassword": "another long password", "password": "a third long password"});
    app.call(&theirs, Method::POST, "/auth/change-password", &body)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&program, &summary).await.expect(StatusCode::OK);
}

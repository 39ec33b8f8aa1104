//! Requests that are refused, on objects that exist: each route by everybody who may not use it, and the farm as it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_api::Role::{self, Owner};
use harit_api::{ApiConfig, NoProvider};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::access::{Who, routes, who};
use crate::support::{App, Person, alert, rule};

/// Everything of a farm that requests could change, as its owner sees it.
const SEEN: &[&str] = &[
    "/api/farms/a/rules",
    "/api/farms/a/alerts",
    "/api/farms/a/tasks",
    "/api/farms/a/users",
    "/api/farms/a/polyhouses",
    "/api/farms/a/reservoirs",
    "/api/farms/a/devices",
    "/api/farms/a/sensors",
    "/api/farms/a/commands",
    "/api/farms/a/notifications",
    "/onboarding/assets?farmId=a",
    "/onboarding/invites?farmId=a",
];

/// A farm with one of each thing, and their ids by the name of the path's parameter.
struct Full {
    app: App,
    owner: Person,
    ids: BTreeMap<&'static str, String>,
}

impl Full {
    async fn farm() -> Self {
        let config = ApiConfig {
            reads_per_user: 1_000_000,
            changes_per_user: 1_000_000,
            commands_per_user: 1_000_000,
            stops_per_user: 1_000_000,
            ..ApiConfig::default()
        };
        let app = App::with(config, Arc::new(NoProvider)).await;
        app.farm("a").await;
        app.farm("b").await;
        let owner = app.person("a", Owner).await;
        let member = app.person("a", Role::Viewer).await;
        let made = async |path: &str, body: Value| {
            let answer = app.call(&owner, Method::POST, path, &body).await;
            assert!(answer.status.is_success(), "POST {path}: {}", answer.text);
            answer.json()
        };
        let id = |made: &Value| {
            let id = made["id"].as_str();
            id.unwrap_or_else(|| panic!("no id: {made}")).to_owned()
        };
        let house = made("/api/farms/a/polyhouses", json!({"name": "House"})).await;
        let house = id(&house);
        let zones = format!("/api/farms/a/polyhouses/{house}/zones");
        let zone = made(&zones, json!({"name": "Zone"})).await;
        let invite =
            json!({"farmId": "a", "email": "guest@x.test", "role": "VIEWER", "languagePref": "en"});
        made("/onboarding/invite-user", invite).await;
        let invites = app.get(&owner, "/onboarding/invites?farmId=a").await;
        let asset = json!({"type": "POLYHOUSE", "name": "Box", "macid": "24:0A:C4:00:00:0A"});
        made(
            "/onboarding/assets",
            json!({"farmId": "a", "assets": [asset]}),
        )
        .await;
        let new_rule = made("/api/farms/a/rules", rule()).await;
        let new_alert = made("/api/farms/a/alerts", alert()).await;
        let task = json!({"title": "Task", "dueDate": "2099-12-31"});
        let task = made("/api/farms/a/tasks", task).await;
        let reservoir = made("/api/farms/a/reservoirs", json!({"name": "Tank"})).await;
        let ids = BTreeMap::from([
            ("polyhouseId", house),
            ("zoneId", id(&zone)),
            ("ruleId", id(&new_rule)),
            ("alertId", id(&new_alert)),
            ("taskId", id(&task)),
            ("reservoirId", id(&reservoir)),
            ("userId", member.id.clone()),
            ("deviceId", "fan-1".to_owned()),
            ("sensorId", "t-1".to_owned()),
            ("macid", "240AC400000A".to_owned()),
            ("id", id(&invites.json()["invites"][0])),
        ]);
        Self { app, owner, ids }
    }

    fn path(&self, path: &str, farm: &str) -> String {
        let part = |part: &str| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
            Some("farmId") => farm.to_owned(),
            Some(name) => self.ids.get(name).map_or("nothing", String::as_str).into(),
            None => part.to_owned(),
        };
        let path: Vec<String> = path.split('/').map(part).collect();
        let path = path.join("/");
        if path.starts_with("/onboarding/") {
            format!("{path}?farmId={farm}")
        } else {
            path
        }
    }

    /// What would be done if it were allowed.
    fn body(method: &Method, path: &str, farm: &str) -> Value {
        let mut body = match path {
            p if *method == Method::PATCH && p.contains("/rules") => {
                return json!({"mode": "disabled"});
            }
            p if *method == Method::PATCH && p.contains("/alerts") => {
                return json!({"isActive": false});
            }
            p if p.contains("/rules") => rule(),
            p if p.contains("/alerts") => alert(),
            p if p.ends_with("/commands") => {
                json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 60})
            }
            p if p.contains("/users") => {
                json!({"name": "Taken Over", "email": "new@x.test", "role": "VIEWER", "languagePref": "en"})
            }
            p if p.ends_with("/invite-user") => {
                json!({"email": "other@x.test", "role": "VIEWER", "languagePref": "en"})
            }
            p if p.ends_with("/assets") => {
                json!({"assets": [{"type": "POLYHOUSE", "name": "Box", "macid": "24:0A:C4:00:00:0B"}]})
            }
            p if p.ends_with("/move") => json!({"status": "CLOSED", "afterId": null}),
            p if p.contains("/tasks") => json!({"title": "Taken", "dueDate": "2098-12-31"}),
            p if p.ends_with("/{macid}") => return json!({"enabled": false}),
            p if p.ends_with("/unlock") => json!({"reason": "because"}),
            _ => json!({"name": "Taken Over"}),
        };
        if path.starts_with("/onboarding/") {
            body["farmId"] = farm.into();
        }
        body
    }

    async fn ask(
        &self,
        token: Option<&str>,
        method: &Method,
        path: &str,
        farm: &str,
    ) -> (StatusCode, String) {
        let mut request = self.app.request(method.clone(), &self.path(path, farm));
        if [Method::POST, Method::PUT, Method::PATCH].contains(method) {
            // Whatever path it takes, the body names the farm that is attacked.
            request = request.json(&Self::body(method, path, "a"));
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = self.app.send(request).await;
        (answer.status, answer.text)
    }

    async fn seen(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for path in SEEN {
            all.push(self.app.get(&self.owner, path).await.expect(StatusCode::OK));
        }
        all
    }
}

/// Somebody who may not, and what is said to them: 401 where nobody is signed in, 404 where the farm is not theirs.
async fn strangers(full: &Full) -> Vec<(&'static str, Option<String>, StatusCode)> {
    let app = &full.app;
    let mut all = vec![
        ("nobody", None, StatusCode::UNAUTHORIZED),
        ("garbage", Some("x".repeat(43)), StatusCode::UNAUTHORIZED),
    ];
    let other = app.person("b", Owner).await;
    all.push((
        "another farm's owner",
        Some(other.token),
        StatusCode::NOT_FOUND,
    ));
    let as_owner = async |name: &str| {
        let person = app.stranger(&format!("{name}@x.test")).await;
        let set = app.records.set_role(&person.id, "a", Owner).await;
        set.expect("a role");
        person
    };
    let elsewhere = as_owner("elsewhere").await;
    let set = app.records.set_role(&elsewhere.id, "b", Owner).await;
    set.expect("a role");
    let off = "UPDATE memberships SET is_active = FALSE WHERE farm_id = 'a' AND user_id = (SELECT id FROM users WHERE email = 'elsewhere@x.test')";
    assert_eq!(app.meddle(off).await, 1);
    all.push((
        "deactivated here, active elsewhere",
        Some(elsewhere.token),
        StatusCode::NOT_FOUND,
    ));
    let deactivated = as_owner("deactivated").await;
    let set = app.records.set_user_active(&deactivated.id, false).await;
    set.expect("stored");
    all.push((
        "deactivated",
        Some(deactivated.token),
        StatusCode::UNAUTHORIZED,
    ));
    let expired = as_owner("expired").await;
    let old = "UPDATE sessions SET expires_at = 1 WHERE user_id = (SELECT id FROM users WHERE email = 'expired@x.test')";
    assert!(app.meddle(old).await >= 1);
    all.push(("expired", Some(expired.token), StatusCode::UNAUTHORIZED));
    let signed_out = as_owner("signed-out").await;
    app.call(&signed_out, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    all.push((
        "signed out",
        Some(signed_out.token),
        StatusCode::UNAUTHORIZED,
    ));
    let removed = app.stranger("removed@x.test").await;
    let set = app.records.set_role(&removed.id, "a", Role::Admin).await;
    set.expect("a role");
    let path = format!("/api/farms/a/users/{}", removed.id);
    let answer = app
        .call(&full.owner, Method::DELETE, &path, &json!({}))
        .await;
    assert!(answer.status.is_success(), "{}", answer.text);
    // Signed in all the same, or not any more: the farm is not theirs.
    let status = app.get(&removed, "/api/farms/a/summary").await.status;
    assert!(
        status == StatusCode::UNAUTHORIZED || status == StatusCode::NOT_FOUND,
        "{status}"
    );
    all.push(("removed", Some(removed.token), status));
    all
}

#[tokio::test]
async fn who_may_not_changes_nothing() {
    let full = Full::farm().await;
    let strangers = strangers(&full).await;
    let mut members = Vec::new();
    for role in [Role::Admin, Role::FarmManager, Role::Worker] {
        members.push((role, full.app.person("a", role).await));
    }
    let viewer = full.app.sign_in("viewer@a.test").await;
    let owner_of_b = full.app.sign_in("owner@b.test").await;
    let worker_of_b = full.app.person("b", Role::Worker).await.token;
    let before = full.seen().await;
    let mut cells = 0;
    for (method, path) in routes() {
        let Who::Roles(allowed) = who(&method, &path) else {
            continue;
        };
        for (name, token, expected) in &strangers {
            let (status, body) = full.ask(token.as_deref(), &method, &path, "a").await;
            assert_eq!(status, *expected, "{method} {path}, {name}: {body}");
            cells += 1;
        }
        let tokens = members.iter().map(|(role, p)| (*role, p.token.as_str()));
        for (role, token) in tokens.chain([(Role::Viewer, viewer.as_str())]) {
            if !allowed.contains(&role) {
                let (status, body) = full.ask(Some(token), &method, &path, "a").await;
                assert_eq!(
                    status,
                    StatusCode::FORBIDDEN,
                    "{method} {path}, {role:?}: {body}"
                );
                cells += 1;
            }
        }
        // Who may do it in another farm, with the ids of this one in his own path, query and body.
        if path.contains("{farmId}") {
            let other = if allowed.contains(&Owner) {
                &owner_of_b
            } else {
                &worker_of_b
            };
            let (status, body) = full.ask(Some(other), &method, &path, "b").await;
            assert!(!status.is_server_error(), "{method} {path}: {body}");
            let foreign = [
                "polyhouseId",
                "ruleId",
                "alertId",
                "taskId",
                "reservoirId",
                "userId",
            ];
            if foreign.iter().any(|id| path.contains(&format!("{{{id}}}"))) {
                assert!(
                    matches!(status.as_u16(), 400 | 404 | 409 | 422),
                    "{method} {path}: {status} {body}"
                );
            }
            cells += 1;
        }
        let after = full.seen().await;
        for ((what, before), after) in SEEN.iter().zip(&before).zip(&after) {
            assert_eq!(before, after, "{method} {path} changed {what}");
        }
    }
    assert!(cells > 580, "{cells}");
}

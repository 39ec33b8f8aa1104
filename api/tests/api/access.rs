//! Who may do what: every route of the OpenAPI document, with everybody.

use std::collections::BTreeMap;

use harit_api::Role::{self, Admin, FarmManager, Owner, Viewer, Worker};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::openapi::DOCUMENT;
use crate::support::{App, Person};

/// Who may use a route.
pub(crate) enum Who {
    Anybody,
    SignedIn,
    /// By its account, not by a sign-in.
    Controllers,
    Roles(&'static [Role]),
}

/// A worker is none of them: what is his has routes of its own.
const ALL: Who = Who::Roles(&[Owner, Admin, FarmManager, Viewer]);
const EVERYBODY: Who = Who::Roles(&[Owner, Admin, FarmManager, Viewer, Worker]);
const WORKERS: Who = Who::Roles(&[Worker]);
const MANAGERS: Who = Who::Roles(&[Owner, Admin, FarmManager]);
const OWNERS: Who = Who::Roles(&[Owner]);
const ADMINS: Who = Who::Roles(&[Owner, Admin]);

/// A row a route; a route without one fails the test.
const MATRIX: &[(&str, &str, Who)] = &[
    ("GET", "/healthz", Who::Anybody),
    ("GET", "/readyz", Who::Anybody),
    // from loopback, where the tests are
    ("GET", "/metrics", Who::Anybody),
    // 404 where there is no demo
    ("GET", "/api/demo", Who::Anybody),
    ("POST", "/auth/login", Who::Anybody),
    ("GET", "/auth/me", Who::SignedIn),
    ("POST", "/auth/logout", Who::SignedIn),
    ("POST", "/auth/send-otp", Who::Anybody),
    ("POST", "/auth/verify-otp", Who::Anybody),
    ("POST", "/api/auth/request-email-otp", Who::Anybody),
    ("POST", "/api/auth/verify-email-otp", Who::Anybody),
    ("POST", "/auth/register", Who::Anybody),
    ("GET", "/api/demo/outbox", Who::Anybody),
    ("GET", "/onboarding/invite/{token}", Who::Anybody),
    ("POST", "/onboarding/invite/open", Who::Anybody),
    ("POST", "/onboarding/invite/accept", Who::Anybody),
    ("GET", "/auth/delivery", Who::Anybody),
    ("POST", "/auth/confirm/code", Who::SignedIn),
    ("POST", "/auth/confirm", Who::SignedIn),
    ("POST", "/auth/contacts/code", Who::SignedIn),
    ("POST", "/auth/contacts/verify", Who::SignedIn),
    ("POST", "/onboarding/invite/{token}/accept", Who::Anybody),
    ("POST", "/auth/complete-onboarding", Who::SignedIn),
    ("PATCH", "/auth/me", Who::SignedIn),
    ("POST", "/auth/set-password", Who::SignedIn),
    ("POST", "/auth/change-password", Who::SignedIn),
    ("GET", "/auth/sessions", Who::SignedIn),
    ("DELETE", "/auth/sessions", Who::SignedIn),
    ("DELETE", "/auth/sessions/{id}", Who::SignedIn),
    ("GET", "/auth/tokens", Who::SignedIn),
    ("POST", "/auth/tokens", Who::SignedIn),
    ("DELETE", "/auth/tokens/{id}", Who::SignedIn),
    ("GET", "/api/farms", Who::SignedIn),
    ("POST", "/onboarding/invite-user", ADMINS),
    ("GET", "/onboarding/invites", ADMINS),
    ("DELETE", "/onboarding/invites/{id}", ADMINS),
    ("GET", "/api/farms/{farmId}/users", MANAGERS),
    ("POST", "/api/farms/{farmId}/users", ADMINS),
    ("PATCH", "/api/farms/{farmId}/users/{userId}", ADMINS),
    ("DELETE", "/api/farms/{farmId}/users/{userId}", ADMINS),
    (
        "DELETE",
        "/api/farms/{farmId}/users/{userId}/sessions",
        ADMINS,
    ),
    (
        "POST",
        "/api/farms/{farmId}/users/{userId}/activate",
        ADMINS,
    ),
    (
        "POST",
        "/api/farms/{farmId}/users/{userId}/deactivate",
        ADMINS,
    ),
    ("GET", "/onboarding/assets", MANAGERS),
    ("POST", "/onboarding/assets", ADMINS),
    ("GET", "/api/farms/{farmId}/verdict", ALL),
    ("GET", "/api/farms/{farmId}/exceptions", ALL),
    ("GET", "/api/farms/{farmId}/holders", ALL),
    ("GET", "/api/farms/{farmId}/outages", ALL),
    ("GET", "/api/farms/{farmId}/summary", ALL),
    ("GET", "/api/farms/{farmId}/weather", ALL),
    ("GET", "/api/farms/{farmId}/sun", ALL),
    ("PUT", "/api/farms/{farmId}/position", ADMINS),
    ("GET", "/api/farms/{farmId}/letter", ALL),
    ("GET", "/api/farms/{farmId}/letter/week", ALL),
    ("PUT", "/api/farms/{farmId}/letter/choice", ALL),
    ("GET", "/api/farms/{farmId}/latest-telemetry", ALL),
    ("GET", "/api/farms/{farmId}/polyhouses", ALL),
    ("GET", "/api/farms/{farmId}/reservoirs", ALL),
    ("POST", "/api/farms/{farmId}/polyhouses", ADMINS),
    (
        "PUT",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}",
        ADMINS,
    ),
    (
        "POST",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones",
        ADMINS,
    ),
    (
        "PUT",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}",
        ADMINS,
    ),
    ("POST", "/api/farms/{farmId}/reservoirs", ADMINS),
    (
        "PUT",
        "/api/farms/{farmId}/reservoirs/{reservoirId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/reservoirs/{reservoirId}",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/tasks/summary", ALL),
    ("GET", "/api/farms/{farmId}/tasks", ALL),
    ("POST", "/api/farms/{farmId}/tasks", MANAGERS),
    ("PUT", "/api/farms/{farmId}/tasks/{taskId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/tasks/{taskId}", MANAGERS),
    ("POST", "/api/farms/{farmId}/tasks/{taskId}/move", MANAGERS),
    ("GET", "/api/farms/{farmId}/assignees", MANAGERS),
    ("GET", "/api/farms/{farmId}/tasks/{taskId}/photo", ALL),
    ("GET", "/api/farms/{farmId}/work", WORKERS),
    ("PATCH", "/api/farms/{farmId}/work/tasks/{taskId}", WORKERS),
    ("POST", "/api/farms/{farmId}/work/commands", WORKERS),
    (
        "GET",
        "/api/farms/{farmId}/work/tasks/{taskId}/photo",
        WORKERS,
    ),
    (
        "PUT",
        "/api/farms/{farmId}/work/tasks/{taskId}/photo",
        WORKERS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/work/tasks/{taskId}/photo",
        WORKERS,
    ),
    ("GET", "/api/farms/{farmId}/templates", ALL),
    ("POST", "/api/farms/{farmId}/templates", MANAGERS),
    (
        "PUT",
        "/api/farms/{farmId}/templates/{templateId}",
        MANAGERS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/templates/{templateId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/crop-cycles", ALL),
    ("POST", "/api/farms/{farmId}/crop-cycles", MANAGERS),
    ("PUT", "/api/farms/{farmId}/crop-cycles/{cycleId}", MANAGERS),
    (
        "DELETE",
        "/api/farms/{farmId}/crop-cycles/{cycleId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/notes", ALL),
    ("POST", "/api/farms/{farmId}/notes", MANAGERS),
    ("PUT", "/api/farms/{farmId}/notes/{noteId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/notes/{noteId}", MANAGERS),
    ("GET", "/api/farms/{farmId}/nurseries", ALL),
    ("POST", "/api/farms/{farmId}/nurseries", MANAGERS),
    ("PUT", "/api/farms/{farmId}/nurseries/{nurseryId}", MANAGERS),
    (
        "DELETE",
        "/api/farms/{farmId}/nurseries/{nurseryId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/inventory", ALL),
    ("POST", "/api/farms/{farmId}/inventory", MANAGERS),
    ("PUT", "/api/farms/{farmId}/inventory/{itemId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/inventory/{itemId}", MANAGERS),
    ("GET", "/api/farms/{farmId}/stock-movements", ALL),
    ("POST", "/api/farms/{farmId}/stock-movements", MANAGERS),
    (
        "PUT",
        "/api/farms/{farmId}/stock-movements/{movementId}",
        MANAGERS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/stock-movements/{movementId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/harvests", ALL),
    ("POST", "/api/farms/{farmId}/harvests", MANAGERS),
    ("PUT", "/api/farms/{farmId}/harvests/{harvestId}", MANAGERS),
    (
        "DELETE",
        "/api/farms/{farmId}/harvests/{harvestId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/sales", MANAGERS),
    ("POST", "/api/farms/{farmId}/sales", MANAGERS),
    ("PUT", "/api/farms/{farmId}/sales/{saleId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/sales/{saleId}", MANAGERS),
    ("GET", "/api/farms/{farmId}/expenses", MANAGERS),
    ("POST", "/api/farms/{farmId}/expenses", MANAGERS),
    ("PUT", "/api/farms/{farmId}/expenses/{expenseId}", MANAGERS),
    (
        "DELETE",
        "/api/farms/{farmId}/expenses/{expenseId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/report", MANAGERS),
    ("GET", "/api/farms/{farmId}/notifications", ALL),
    ("DELETE", "/api/farms/{farmId}/notifications", ALL),
    (
        "POST",
        "/api/farms/{farmId}/notifications/{notificationId}/read",
        ALL,
    ),
    ("POST", "/api/farms/{farmId}/notifications/read-all", ALL),
    ("GET", "/api/farms/{farmId}/devices", ALL),
    (
        "POST",
        "/api/farms/{farmId}/devices/{deviceId}/lock",
        MANAGERS,
    ),
    // whose lock it is decides further
    (
        "POST",
        "/api/farms/{farmId}/devices/{deviceId}/unlock",
        EVERYBODY,
    ),
    ("GET", "/api/farms/{farmId}/stop", EVERYBODY),
    ("POST", "/api/farms/{farmId}/stop", EVERYBODY),
    ("POST", "/api/farms/{farmId}/stop/open", EVERYBODY),
    ("GET", "/api/farms/{farmId}/devices/{deviceId}/history", ALL),
    ("GET", "/api/farms/{farmId}/history/devices", ALL),
    ("GET", "/api/farms/{farmId}/effects", ALL),
    (
        "GET",
        "/api/farms/{farmId}/reservoirs/{reservoirId}/ledger",
        ALL,
    ),
    ("GET", "/api/farms/{farmId}/devices/{deviceId}/effects", ALL),
    (
        "PUT",
        "/api/farms/{farmId}/devices/{deviceId}/effects",
        ADMINS,
    ),
    ("PATCH", "/api/farms/{farmId}/devices/{deviceId}", ADMINS),
    (
        "PUT",
        "/api/farms/{farmId}/devices/{deviceId}/limits",
        ADMINS,
    ),
    (
        "POST",
        "/api/farms/{farmId}/devices/{deviceId}/lease-test",
        ADMINS,
    ),
    (
        "GET",
        "/api/farms/{farmId}/devices/{deviceId}/lease-test",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/device-groups", ALL),
    ("POST", "/api/farms/{farmId}/device-groups", ADMINS),
    ("PUT", "/api/farms/{farmId}/device-groups/{groupId}", ADMINS),
    (
        "DELETE",
        "/api/farms/{farmId}/device-groups/{groupId}",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/setpoints", ALL),
    ("POST", "/api/farms/{farmId}/setpoints", MANAGERS),
    (
        "PUT",
        "/api/farms/{farmId}/setpoints/{setpointId}",
        MANAGERS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/setpoints/{setpointId}",
        MANAGERS,
    ),
    ("GET", "/api/farms/{farmId}/sensors", ALL),
    ("PATCH", "/api/farms/{farmId}/sensors/{sensorId}", ADMINS),
    ("DELETE", "/api/farms/{farmId}/sensors/{sensorId}", ADMINS),
    ("DELETE", "/api/farms/{farmId}/devices/{deviceId}", ADMINS),
    ("GET", "/api/farms/{farmId}/controllers", MANAGERS),
    (
        "GET",
        "/api/farms/{farmId}/controllers/{macid}/sensors",
        MANAGERS,
    ),
    ("POST", "/api/farms/{farmId}/controllers", ADMINS),
    ("PATCH", "/api/farms/{farmId}/controllers/{macid}", ADMINS),
    ("DELETE", "/api/farms/{farmId}/controllers/{macid}", ADMINS),
    (
        "POST",
        "/api/farms/{farmId}/controllers/{macid}/secret",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/tokens", OWNERS),
    ("DELETE", "/api/farms/{farmId}/tokens/{tokenId}", OWNERS),
    ("GET", "/api/farms/{farmId}/integrations", ADMINS),
    ("POST", "/api/farms/{farmId}/integrations", ADMINS),
    (
        "PATCH",
        "/api/farms/{farmId}/integrations/{integrationId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/integrations/{integrationId}",
        ADMINS,
    ),
    (
        "POST",
        "/api/farms/{farmId}/integrations/{integrationId}/secret",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/sensors/{sensorId}/history", ALL),
    ("GET", "/api/farms/{farmId}/history", ALL),
    ("GET", "/api/farms/{farmId}/dead-letters", ADMINS),
    ("GET", "/api/farms/{farmId}/derived-sensors", ALL),
    ("POST", "/api/farms/{farmId}/derived-sensors", ADMINS),
    ("POST", "/api/farms/{farmId}/derived-sensors/check", ADMINS),
    (
        "PUT",
        "/api/farms/{farmId}/derived-sensors/{derivedId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/derived-sensors/{derivedId}",
        ADMINS,
    ),
    ("GET", "/api/sensor-types", Who::SignedIn),
    ("GET", "/api/device-profiles", Who::SignedIn),
    ("GET", "/api/farms/{farmId}/device-profiles", ADMINS),
    ("POST", "/api/farms/{farmId}/device-profiles", ADMINS),
    ("POST", "/api/farms/{farmId}/device-profiles/try", ADMINS),
    ("GET", "/api/farms/{farmId}/unknown-senders", ADMINS),
    ("POST", "/api/farms/{farmId}/unknown-senders/take", ADMINS),
    (
        "PUT",
        "/api/farms/{farmId}/device-profiles/{profileId}",
        ADMINS,
    ),
    (
        "DELETE",
        "/api/farms/{farmId}/device-profiles/{profileId}",
        ADMINS,
    ),
    ("GET", "/api/farms/{farmId}/deliveries", ADMINS),
    ("POST", "/api/farms/{farmId}/deliveries/test", ADMINS),
    // 404 where WhatsApp is not set; a receipt counts by its signature
    ("POST", "/intake", Who::Controllers),
    ("POST", "/api/v2/write", Who::Controllers),
    (
        "GET",
        "/weatherstation/updateweatherstation.php",
        Who::Controllers,
    ),
    ("GET", "/hooks/whatsapp", Who::Anybody),
    ("POST", "/hooks/whatsapp", Who::Anybody),
    ("POST", "/hooks/twilio", Who::Anybody),
    ("POST", "/hooks/msg91", Who::Anybody),
    // who was told by a message, by its link
    ("GET", "/a/{token}", Who::Anybody),
    ("POST", "/a/{token}", Who::Anybody),
    ("GET", "/api/farms/{farmId}/escalation", ALL),
    ("PUT", "/api/farms/{farmId}/escalation", MANAGERS),
    ("GET", "/auth/me/told", Who::SignedIn),
    ("PUT", "/auth/me/told", Who::SignedIn),
    ("GET", "/auth/me/push", Who::SignedIn),
    ("POST", "/auth/me/push", Who::SignedIn),
    ("DELETE", "/auth/me/push/{browserId}", Who::SignedIn),
    ("POST", "/auth/me/push/{browserId}/test", Who::SignedIn),
    ("GET", "/api/farms/{farmId}/logs", ALL),
    ("GET", "/api/farms/{farmId}/commands", ALL),
    ("POST", "/api/farms/{farmId}/commands", MANAGERS),
    ("GET", "/api/farms/{farmId}/commands/{commandId}", ALL),
    ("GET", "/api/farms/{farmId}/conditions", ALL),
    ("POST", "/api/farms/{farmId}/check-rule", ALL),
    ("POST", "/api/farms/{farmId}/backtests", ALL),
    ("GET", "/api/farms/{farmId}/backtests/{name}", ALL),
    (
        "GET",
        "/api/farms/{farmId}/devices/{deviceId}/explanation",
        ALL,
    ),
    ("GET", "/api/farms/{farmId}/rules/{ruleId}/explanation", ALL),
    ("GET", "/api/farms/{farmId}/rules/{ruleId}/why-not", ALL),
    ("GET", "/api/farms/{farmId}/rules/{ruleId}/lanes", ALL),
    ("GET", "/api/farms/{farmId}/devices/{deviceId}/lanes", ALL),
    (
        "GET",
        "/api/farms/{farmId}/polyhouses/{polyhouseId}/lanes",
        ALL,
    ),
    ("GET", "/api/farms/{farmId}/rules", ALL),
    ("POST", "/api/farms/{farmId}/rules", MANAGERS),
    ("GET", "/api/farms/{farmId}/rules/{ruleId}", ALL),
    ("PUT", "/api/farms/{farmId}/rules/{ruleId}", MANAGERS),
    ("PATCH", "/api/farms/{farmId}/rules/{ruleId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/rules/{ruleId}", MANAGERS),
    ("GET", "/api/farms/{farmId}/incidents/{incidentId}", ALL),
    ("GET", "/api/farms/{farmId}/incidents/{incidentId}/log", ALL),
    // what is answered decides further
    (
        "POST",
        "/api/farms/{farmId}/incidents/{incidentId}/answers",
        ALL,
    ),
    ("GET", "/api/farms/{farmId}/alerts", ALL),
    ("POST", "/api/farms/{farmId}/alerts", MANAGERS),
    ("GET", "/api/farms/{farmId}/alerts/{alertId}", ALL),
    ("PUT", "/api/farms/{farmId}/alerts/{alertId}", MANAGERS),
    ("PATCH", "/api/farms/{farmId}/alerts/{alertId}", MANAGERS),
    ("DELETE", "/api/farms/{farmId}/alerts/{alertId}", MANAGERS),
];

pub(crate) fn who(method: &Method, path: &str) -> &'static Who {
    let row = MATRIX
        .iter()
        .find(|(m, p, _)| *m == method.as_str() && *p == path);
    &row.unwrap_or_else(|| panic!("{method} {path} has no row in the matrix"))
        .2
}

/// Every operation of the document.
pub(crate) fn routes() -> Vec<(Method, String)> {
    let document: Value =
        serde_json::from_str(&harit_api::openapi_json().expect("a document")).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let operations = |(path, item): (&String, &Value)| {
        let methods: Vec<Method> = item
            .as_object()
            .expect("operations")
            .keys()
            .filter_map(|m| m.to_uppercase().parse().ok())
            .collect();
        methods
            .into_iter()
            .map(|m| (m, path.clone()))
            .collect::<Vec<_>>()
    };
    let routes: Vec<_> = paths.iter().flat_map(operations).collect();
    assert_eq!(
        routes.len(),
        MATRIX.len(),
        "the matrix has rows for routes that are gone"
    );
    routes
}

/// A route in a farm, with names of what is not there.
fn address(path: &str, farm: &str) -> String {
    let path = path.replace("{farmId}", farm);
    let path = path
        .split('/')
        .map(|part| {
            if part.starts_with('{') {
                "nothing"
            } else {
                part
            }
        })
        .collect::<Vec<_>>()
        .join("/");
    if path.starts_with("/onboarding/assets") || path.starts_with("/onboarding/invites") {
        format!("{path}?farmId={farm}")
    } else {
        path
    }
}

pub(crate) async fn status(
    app: &App,
    person: Option<&Person>,
    method: &Method,
    path: &str,
    farm: &str,
) -> (StatusCode, Value) {
    let mut request = app.request(method.clone(), &address(path, farm));
    if [Method::POST, Method::PUT, Method::PATCH].contains(method) {
        request =
            request.json(&json!({"farmId": farm, "cmd_type": "release", "device_id": "nothing"}));
    }
    if let Some(person) = person {
        request = request.bearer_auth(&person.token);
    }
    let answer = app.send(request).await;
    let body = if answer.text.starts_with('{') {
        answer.json()
    } else {
        Value::Null
    };
    (answer.status, body)
}

#[test]
fn the_document_says_what_not_every_role_may() {
    // whose stop or lock it is decides further
    let further = ["open_stops", "unlock_device"];
    for (method, path) in routes() {
        let Who::Roles(allowed) = who(&method, &path) else {
            continue;
        };
        let operation = &DOCUMENT["paths"][&path][method.as_str().to_lowercase()];
        let refused = operation["responses"].get("403").is_some();
        let by_whose = further.contains(&operation["operationId"].as_str().unwrap_or(""));
        // what may change something is beyond some tokens, whatever their owners' roles
        let some = allowed.len() < Role::ALL.len() || by_whose || method != Method::GET;
        assert_eq!(refused, some, "{method} {path}: 403");
    }
}

#[tokio::test]
async fn no_route_is_open_by_mistake() {
    let app = App::start().await;
    app.farm("a").await;
    for (method, path) in routes() {
        let (status, body) = status(&app, None, &method, &path, "a").await;
        match who(&method, &path) {
            Who::Anybody => assert_ne!(status, StatusCode::UNAUTHORIZED, "{method} {path}"),
            _ => {
                assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
                assert_eq!(
                    body,
                    json!({"error": "Authentication required", "code": "unauthenticated"}),
                    "{method} {path}"
                );
            }
        }
    }
}

#[tokio::test]
async fn each_role_may_do_what_the_matrix_says() {
    let app = App::start().await;
    app.farm("a").await;
    let mut people = BTreeMap::new();
    for role in Role::ALL {
        people.insert(role.as_str(), (role, app.person("a", role).await));
    }
    for (method, path) in routes() {
        let Who::Roles(allowed) = who(&method, &path) else {
            continue;
        };
        for (role, person) in people.values() {
            let (status, body) = status(&app, Some(person), &method, &path, "a").await;
            let what = format!("{method} {path} as {}: {body}", role.as_str());
            if allowed.contains(role) {
                assert!(
                    status != StatusCode::FORBIDDEN && status != StatusCode::UNAUTHORIZED,
                    "{what}"
                );
                assert!(!status.is_server_error(), "{what}");
            } else {
                assert_eq!(status, StatusCode::FORBIDDEN, "{what}");
                assert_eq!(body["code"], "not_permitted", "{what}");
            }
        }
    }
}

#[tokio::test]
async fn anothers_farm_is_not_there() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("b", Owner).await;
    let outsider = app.stranger("nobody@x.test").await;
    for (method, path) in routes() {
        if !matches!(who(&method, &path), Who::Roles(_)) {
            continue;
        }
        for person in [&owner, &outsider] {
            let (known, known_body) = status(&app, Some(person), &method, &path, "a").await;
            assert_eq!(
                known,
                StatusCode::NOT_FOUND,
                "{method} {path}: {known_body}"
            );
            let (unknown, unknown_body) =
                status(&app, Some(person), &method, &path, "no-such-farm").await;
            assert_eq!(
                (known, &known_body),
                (unknown, &unknown_body),
                "{method} {path}"
            );
        }
    }
    let farms = app.get(&owner, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms.as_array().map(Vec::len), Some(1));
    assert_eq!(farms[0]["id"], "b");
    assert_eq!(
        app.get(&outsider, "/api/farms")
            .await
            .expect(StatusCode::OK),
        json!([])
    );
}

#[tokio::test]
async fn a_lost_role_is_lost_at_once() {
    let app = App::start().await;
    app.farm("a").await;
    let person = app.person("a", Admin).await;
    app.get(&person, "/api/farms/a/dead-letters")
        .await
        .expect(StatusCode::OK);
    app.records
        .set_role(&person.id, "a", Viewer)
        .await
        .expect("stored");
    app.get(&person, "/api/farms/a/dead-letters")
        .await
        .expect(StatusCode::FORBIDDEN);
    app.records
        .remove_role(&person.id, "a")
        .await
        .expect("stored");
    app.get(&person, "/api/farms/a/summary")
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_dead_token_opens_nothing_anywhere() {
    let app = App::start().await;
    app.farm("a").await;
    // each was an owner: nothing but the token stands in the way
    let mut dead = Vec::new();
    for what in ["inactive", "let in nowhere", "expired", "ended"] {
        let person = app
            .stranger(&format!("{}@a.test", what.replace(' ', "-")))
            .await;
        app.records
            .set_role(&person.id, "a", Owner)
            .await
            .expect("stored");
        dead.push((what, person));
    }
    app.person("a", Owner).await;
    app.records
        .set_user_active(&dead[0].1.id, false)
        .await
        .expect("stored");
    let off = "UPDATE memberships SET is_active = FALSE WHERE user_id = (SELECT id FROM users WHERE email = 'let-in-nowhere@a.test')";
    assert_eq!(app.meddle(off).await, 1);
    let old = "UPDATE sessions SET expires_at = 1 WHERE user_id = (SELECT id FROM users WHERE email = 'expired@a.test')";
    assert_eq!(app.meddle(old).await, 1);
    app.call(&dead[3].1, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let mut checked = 0;
    for (method, path) in routes() {
        if matches!(who(&method, &path), Who::Anybody) {
            continue;
        }
        for (what, person) in &dead {
            let (status, body) = status(&app, Some(person), &method, &path, "a").await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}, {what}");
            assert_eq!(
                body,
                json!({"error": "Authentication required", "code": "unauthenticated"}),
                "{method} {path}, {what}"
            );
            checked += 1;
        }
    }
    assert!(checked >= 4 * 40, "{checked}");
}

//! Every operation that changes anything leaves its entry in the audit log, with who did it.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::access::routes;
use crate::farm_records;
use crate::steps::{FARM, Steps};
use crate::support::{App, PASSWORD, Person, alert, rule};

/// Nothing of these belongs into a farm's log.
const WITHOUT: [&str; 20] = [
    // what a gateway says of a message
    "POST /hooks/twilio",
    "POST /hooks/msg91",
    "POST /hooks/whatsapp",
    // what controllers send is no change
    "POST /intake",
    "POST /api/v2/write",
    // what a person wants to be told
    "PUT /api/farms/{farmId}/letter/choice",
    // nothing is stored
    "POST /api/farms/{farmId}/check-rule",
    "POST /api/farms/{farmId}/backtests",
    "POST /api/farms/{farmId}/derived-sensors/check",
    "POST /api/farms/{farmId}/device-profiles/try",
    // what a person has read
    "DELETE /api/farms/{farmId}/notifications",
    "POST /api/farms/{farmId}/notifications/{notificationId}/read",
    "POST /api/farms/{farmId}/notifications/read-all",
    // a code is sent; what is done with it has an entry
    "POST /auth/send-otp",
    "POST /api/auth/request-email-otp",
    "POST /auth/confirm/code",
    "POST /auth/contacts/code",
    "POST /auth/confirm",
    "POST /onboarding/invite/open",
    // the first page after signing in
    "POST /auth/complete-onboarding",
];
/// Their own tests ask for the entries: they need codes, links, or a controller that announces less than before.
const ELSEWHERE: [&str; 19] = [
    // needs a device of another system
    "POST /api/farms/{farmId}/devices/{deviceId}/lease-test",
    // needs a message
    "POST /a/{token}",
    // need a browser, and a gateway
    "POST /auth/me/push",
    "DELETE /auth/me/push/{browserId}",
    "POST /auth/me/push/{browserId}/test",
    // needs a gateway
    "POST /api/farms/{farmId}/deliveries/test",
    "POST /auth/verify-otp",
    "POST /api/auth/verify-email-otp",
    "POST /auth/register",
    "POST /auth/contacts/verify",
    "POST /auth/set-password",
    "POST /onboarding/invite/accept",
    "POST /onboarding/invite/{token}/accept",
    "DELETE /api/farms/{farmId}/sensors/{sensorId}",
    "DELETE /api/farms/{farmId}/devices/{deviceId}",
    // a worker's
    "PATCH /api/farms/{farmId}/work/tasks/{taskId}",
    "PUT /api/farms/{farmId}/work/tasks/{taskId}/photo",
    "DELETE /api/farms/{farmId}/work/tasks/{taskId}/photo",
    "POST /api/farms/{farmId}/work/commands",
];

/// Carries out all of them; gives what was carried out.
async fn all_of_them(hangs_up: bool) -> BTreeSet<String> {
    let (app, owner) = App::with_owner().await;
    let mut steps = Steps {
        app: &app,
        owner: &owner,
        hangs_up,
        done: BTreeSet::new(),
    };
    documents(&mut steps).await;
    places(&mut steps).await;
    farm_records(&mut steps).await;
    people(&mut steps).await;
    machines(&mut steps).await;
    account(&mut steps).await;
    steps.done
}

#[tokio::test]
async fn a_client_that_hangs_up_in_the_middle_of_a_change_leaves_it_done_with_its_entry() {
    assert!(all_of_them(true).await.len() > 60);
}

#[tokio::test]
async fn every_operation_that_changes_something_leaves_its_entry() {
    let done = all_of_them(false).await;
    let known: BTreeSet<String> = WITHOUT
        .iter()
        .chain(&ELSEWHERE)
        .map(ToString::to_string)
        .collect();
    let all: BTreeSet<String> = routes()
        .into_iter()
        .filter(|(method, _)| *method != Method::GET)
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    let left: Vec<_> = all
        .iter()
        .filter(|o| !done.contains(*o) && !known.contains(*o))
        .collect();
    assert!(left.is_empty(), "nobody asks for the entries of {left:?}");
    let gone: Vec<_> = done
        .iter()
        .chain(&known)
        .filter(|o| !all.contains(*o))
        .collect();
    assert!(gone.is_empty(), "no operations of the document: {gone:?}");
}

async fn documents(steps: &mut Steps<'_>) {
    let task = |title: &str| json!({"title": title, "dueDate": "2099-12-31"});
    let id = steps.created("tasks", &task("Flush")).await;
    let path = format!("{FARM}/tasks/{{taskId}}");
    steps
        .step(Method::PUT, &path, &[&id], &task("Flush all"))
        .await;
    let column = json!({"status": "CLOSED", "afterId": null});
    steps
        .step(Method::POST, &format!("{path}/move"), &[&id], &column)
        .await;
    steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
    let cases = [
        ("rules", "ruleId", rule(), json!({"mode": "disabled"})),
        ("alerts", "alertId", alert(), json!({"isActive": false})),
    ];
    for (list, parameter, mut document, change) in cases {
        let id = steps.created(list, &document).await;
        document["name"] = json!("Other");
        let path = format!("{FARM}/{list}/{{{parameter}}}");
        steps.step(Method::PUT, &path, &[&id], &document).await;
        steps.step(Method::PATCH, &path, &[&id], &change).await;
        steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
    }
    let id = steps.created("alerts", &alert()).await;
    steps.app.reading("a", "ph-a", 5_000_000).await;
    let answers = format!("{FARM}/incidents/{{incidentId}}/answers");
    let on_it = json!({"kind": "on_it"});
    steps.step(Method::POST, &answers, &[&id], &on_it).await;
    let chain = json!({"steps": [], "duties": []});
    let path = format!("{FARM}/escalation");
    steps.step(Method::PUT, &path, &[], &chain).await;
    let path = format!("{FARM}/alerts/{{alertId}}");
    steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
}

async fn places(steps: &mut Steps<'_>) {
    let (one, other) = (json!({"name": "One"}), json!({"name": "Other"}));
    let id = steps.created("reservoirs", &one).await;
    let path = format!("{FARM}/reservoirs/{{reservoirId}}");
    steps.step(Method::PUT, &path, &[&id], &other).await;
    steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
    let house = steps.created("polyhouses", &one).await;
    let path = format!("{FARM}/polyhouses/{{polyhouseId}}");
    steps.step(Method::PUT, &path, &[&house], &other).await;
    let zones = format!("{path}/zones");
    let zone = steps.step(Method::POST, &zones, &[&house], &one).await;
    let zone = zone["id"].as_str().expect("an id");
    let at = format!("{zones}/{{zoneId}}");
    steps.step(Method::PUT, &at, &[&house, zone], &other).await;
    steps
        .step(Method::DELETE, &at, &[&house, zone], &json!({}))
        .await;
    steps
        .step(Method::DELETE, &path, &[&house], &json!({}))
        .await;
}

async fn farm_records(steps: &mut Steps<'_>) {
    let (mut cycle, mut item) = (String::new(), String::new());
    let mut made = Vec::new();
    for (list, parameter, input, change) in farm_records::kinds() {
        let with = |input| farm_records::about(input, list, &cycle, &item);
        let (input, change) = (with(input), with(change));
        let id = steps.created(list, &input).await;
        let path = format!("{FARM}/{list}/{{{parameter}}}");
        steps.step(Method::PUT, &path, &[&id], &change).await;
        match list {
            "crop-cycles" => cycle.clone_from(&id),
            "inventory" => item.clone_from(&id),
            _ => {}
        }
        made.push((path, id));
    }
    for (path, id) in made.iter().rev() {
        steps.step(Method::DELETE, path, &[id], &json!({})).await;
    }
    let profile = |name: &str| {
        let messages = "[[messages]]\ntopics = [\"barn/{n}\"]\npayload = \"text\"\nreadings = [{ type = \"humidity\", unit = \"%\" }]\n";
        json!({"document": format!("id = \"barn\"\nname = \"{name}\"\n{messages}")})
    };
    let mean = |name: &str| json!({"name": name, "kind": "moving_mean", "scope": {"type": "farm"}, "inputs": {"input": {"sensor": "ph-a"}}});
    let id = steps.created("derived-sensors", &mean("Mean")).await;
    let path = format!("{FARM}/derived-sensors/{{derivedId}}");
    steps.step(Method::PUT, &path, &[&id], &mean("Means")).await;
    steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
    let id = steps.created("device-profiles", &profile("Barn")).await;
    let path = format!("{FARM}/device-profiles/{{profileId}}");
    steps
        .step(Method::PUT, &path, &[&id], &profile("Barns"))
        .await;
    steps.step(Method::DELETE, &path, &[&id], &json!({})).await;
}

async fn people(steps: &mut Steps<'_>) {
    let new =
        json!({"name": "Ravi", "email": "ravi@x.test", "role": "VIEWER", "languagePref": "hi"});
    let id = steps.created("users", &new).await;
    let path = format!("{FARM}/users/{{userId}}");
    let none = json!({});
    steps
        .step(Method::PATCH, &path, &[&id], &json!({"name": "Ravi More"}))
        .await;
    for act in ["deactivate", "activate"] {
        steps
            .step(Method::POST, &format!("{path}/{act}"), &[&id], &none)
            .await;
    }
    steps
        .step(Method::DELETE, &format!("{path}/sessions"), &[&id], &none)
        .await;
    steps.step(Method::DELETE, &path, &[&id], &none).await;
    let invite =
        json!({"email": "guest@x.test", "role": "VIEWER", "languagePref": "en", "farmId": "a"});
    let made = steps
        .step(Method::POST, "/onboarding/invite-user", &[], &invite)
        .await;
    let id = made["invite"]["id"].as_str().expect("an id");
    steps
        .step(
            Method::DELETE,
            "/onboarding/invites/{id}?farmId=a",
            &[id],
            &none,
        )
        .await;
}

async fn machines(steps: &mut Steps<'_>) {
    let none = json!({});
    let position = json!({"position": {"lat": 18.72, "lng": 73.68}});
    steps
        .step(Method::PUT, &format!("{FARM}/position"), &[], &position)
        .await;
    let fan = format!("{FARM}/devices/{{deviceId}}");
    steps
        .step(Method::PATCH, &fan, &["fan-1"], &json!({"name": "Big fan"}))
        .await;
    let checked = json!({"off": false, "kind": "heater", "sensor_id": null, "window_min": 20});
    steps
        .step(Method::PUT, &format!("{fan}/effects"), &["fan-1"], &checked)
        .await;
    let limits =
        json!({"limits": {"min_off_sec": 60}, "max_on_sec": null, "max_pulse_sec_per_hour": null});
    steps
        .step(Method::PUT, &format!("{fan}/limits"), &["fan-1"], &limits)
        .await;
    let (one, two) = (
        json!({"name": "Generator", "at_most": 1}),
        json!({"name": "Generator", "at_most": 2}),
    );
    let group = steps.created("device-groups", &one).await;
    let path = format!("{FARM}/device-groups/{{groupId}}");
    steps.step(Method::PUT, &path, &[&group], &two).await;
    steps.step(Method::DELETE, &path, &[&group], &none).await;
    let course = json!([{"at": "06:00", "value": 24}]);
    let day = json!({"name": "Day", "sensor_type": "temperature", "course": course});
    let warm = json!({"name": "Warm", "sensor_type": "temperature", "course": course});
    let setpoint = steps.created("setpoints", &day).await;
    let path = format!("{FARM}/setpoints/{{setpointId}}");
    steps.step(Method::PUT, &path, &[&setpoint], &warm).await;
    steps.step(Method::DELETE, &path, &[&setpoint], &none).await;
    let list = format!("{FARM}/integrations");
    let made = json!({"name": "Grafana"});
    let made = steps.step(Method::POST, &list, &[], &made).await;
    let id = made["integration"]["id"].as_str().expect("an id");
    let path = format!("{list}/{{integrationId}}");
    let off = json!({"enabled": false});
    steps.step(Method::PATCH, &path, &[id], &off).await;
    let secret = format!("{path}/secret");
    steps.step(Method::POST, &secret, &[id], &none).await;
    steps.step(Method::DELETE, &path, &[id], &none).await;
    let sensor = format!("{FARM}/sensors/{{sensorId}}");
    steps
        .step(Method::PATCH, &sensor, &["t-1"], &json!({"name": "Air"}))
        .await;
    let on = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"action": "on"}, "duration_sec": 60});
    steps
        .step(Method::POST, &format!("{FARM}/commands"), &[], &on)
        .await;
    let why = json!({"reason": "belt"});
    steps
        .step(Method::POST, &format!("{fan}/lock"), &["fan-1"], &why)
        .await;
    let open = json!({"reason": "belt", "nobodyAtTheMachine": true});
    steps
        .step(Method::POST, &format!("{fan}/unlock"), &["fan-1"], &open)
        .await;
    let house = json!({"type": "polyhouse", "polyhouseId": "ph-1"});
    let stop = json!({"scope": house, "reason": "arm in the fan"});
    steps
        .step(Method::POST, &format!("{FARM}/stop"), &[], &stop)
        .await;
    let open = json!({"scope": house, "nobodyAtTheMachine": true});
    steps
        .step(Method::POST, &format!("{FARM}/stop/open"), &[], &open)
        .await;

    let asset = json!({"farmId": "a", "assets": [{"type": "POLYHOUSE", "name": "House 2", "macid": "AA:BB:CC:DD:EE:77"}]});
    steps
        .step(Method::POST, "/onboarding/assets", &[], &asset)
        .await;
    let one = json!({"type": "POLYHOUSE", "polyhouseId": "ph-1", "macid": "AABBCCDDEE78"});
    steps
        .step(Method::POST, &format!("{FARM}/controllers"), &[], &one)
        .await;
    let take = json!({"controller": "AABBCCDDEE78", "pattern": "shed/1", "topics": ["shed/1"], "format": "text",
        "numbers": [{"at": "", "type": "temperature"}]});
    steps
        .step(
            Method::POST,
            &format!("{FARM}/unknown-senders/take"),
            &[],
            &take,
        )
        .await;
    let controller = format!("{FARM}/controllers/{{macid}}");
    let mac = &["AABBCCDDEE77"];
    steps
        .step(Method::PATCH, &controller, mac, &json!({"enabled": false}))
        .await;
    steps
        .step(Method::POST, &format!("{controller}/secret"), mac, &none)
        .await;
    steps.step(Method::DELETE, &controller, mac, &none).await;
}

async fn account(steps: &mut Steps<'_>) {
    let none = json!({});
    steps
        .step(Method::PATCH, "/auth/me", &[], &json!({"name": "Asha P."}))
        .await;
    let token = json!({"name": "Grafana", "scope": "READ", "farms": ["a"]});
    let token = steps.step(Method::POST, "/auth/tokens", &[], &token).await;
    let token = token["token"]["id"].as_str().expect("an id");
    let ended = format!("{FARM}/tokens/{{tokenId}}");
    steps.step(Method::DELETE, &ended, &[token], &none).await;
    steps
        .step(Method::DELETE, "/auth/tokens/{id}", &[token], &none)
        .await;
    let told = json!({"ways": ["EMAIL"], "quiet": null});
    steps.step(Method::PUT, "/auth/me/told", &[], &told).await;
    let password = json!({"currentPassword": PASSWORD, "password": PASSWORD});
    steps
        .step(Method::POST, "/auth/change-password", &[], &password)
        .await;
    let login = json!({"contact": steps.owner.email, "password": PASSWORD});
    steps.step(Method::POST, "/auth/login", &[], &login).await;
    let sessions = steps.app.get(steps.owner, "/auth/sessions").await;
    let sessions = sessions.expect(StatusCode::OK);
    let sessions = sessions["sessions"]
        .as_array()
        .unwrap_or_else(|| sessions.as_array().expect("a list"));
    let other = sessions
        .iter()
        .find(|s| s["current"] == false)
        .expect("another");
    let other = other["id"].as_str().expect("an id");
    steps
        .step(Method::DELETE, "/auth/sessions/{id}", &[other], &none)
        .await;
    let token = steps.app.sign_in(&steps.owner.email).await;
    let again = Person {
        id: steps.owner.id.clone(),
        email: steps.owner.email.clone(),
        token,
    };
    steps.step(Method::POST, "/auth/logout", &[], &none).await;
    let mut last = Steps {
        app: steps.app,
        owner: &again,
        hangs_up: steps.hangs_up,
        done: BTreeSet::new(),
    };
    last.step(Method::DELETE, "/auth/sessions", &[], &none)
        .await;
    steps.done.extend(last.done);
}

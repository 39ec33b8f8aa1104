//! Locks of a device: who may open which, and what is said of it.

use harit_api::Role;
use harit_engine::{Lock, LockKind, Status};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::logs::{actions, device, items, logs};
use crate::support::{App, Person};

#[tokio::test]
async fn a_device_is_unlocked_by_who_may_and_says_why() {
    let (app, owner) = App::with_owner().await;
    let lock = |reason: &str| Status {
        lock: Some(Lock::Engage {
            kind: LockKind::KeepsStopping,
            reason: reason.into(),
        }),
        ..Status::default()
    };
    let path = "/api/farms/a/devices/fan-1/unlock";
    let body = json!({"reason": " door is closed ", "nobodyAtTheMachine": true});
    let unlock = async |person: &Person, path: &str, body: &Value| {
        app.call(person, Method::POST, path, body).await
    };
    let not_locked = unlock(&owner, path, &body)
        .await
        .expect(StatusCode::CONFLICT);
    assert_eq!(not_locked["code"], "not_locked");
    device(&app, "fan-1", lock("door open")).await;
    for role in [Role::FarmManager, Role::Viewer] {
        let person = app.person("a", role).await;
        unlock(&person, path, &body)
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    for wrong in [
        json!({}),
        json!({"reason": "  "}),
        json!({"reason": "x".repeat(501)}),
    ] {
        let refused = unlock(&owner, path, &wrong)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], "reason");
    }
    let unsure = json!({"reason": "door is closed"});
    let refused = unlock(&owner, path, &unsure)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["path"], "nobodyAtTheMachine");
    unlock(&owner, "/api/farms/a/devices/none/unlock", &body)
        .await
        .expect(StatusCode::NOT_FOUND);
    let unlocked = unlock(&owner, path, &body).await.expect(StatusCode::OK);
    assert_eq!(
        (&unlocked["id"], &unlocked["state"]["lock"]),
        (&json!("fan-1"), &Value::Null)
    );

    device(&app, "valve-1", lock("leak")).await;
    let offline = unlock(&owner, "/api/farms/a/devices/valve-1/unlock", &body)
        .await
        .expect(StatusCode::CONFLICT);
    assert_eq!(
        (&offline["code"], &offline["error"]),
        (&json!("offline"), &json!("Device is offline"))
    );
    let told = logs(&app, &owner, "type=safety_override").await;
    assert_eq!(
        actions(&told),
        [
            "Drip valve could not be unlocked",
            "Drip valve locked: leak",
            "Fan unlocked",
            "Fan locked: door open"
        ]
    );
    let (refused, done) = (&items(&told)[0], &items(&told)[2]);
    assert_eq!(
        (&refused["result"], &refused["errorMessage"]),
        (&json!("failure"), &json!("Device is offline"))
    );
    assert_eq!(
        (&done["userName"], &done["details"]["reason"]),
        (&json!("Asha Patil"), &json!("door is closed"))
    );
    let written = app.audited("a", "device_unlock").await;
    assert_eq!(
        written[0].1,
        json!({"reason": "door is closed", "kind": "keeps_stopping", "whose": null, "lock": "door open", "refused": null})
    );
    assert_eq!(written.len(), 2);
}

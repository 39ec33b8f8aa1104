//! Alerts: saved, replaced, switched, and who sees of them what.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{App, alert};

#[tokio::test]
async fn an_alert_is_switched_off_and_on_without_its_document() {
    let (app, owner) = App::with_owner().await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    let path = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    app.reading("a", "ph-a", 4_000_000).await;
    let raised = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(raised["status"]["raised"], true);
    let off = app
        .call(&owner, Method::PATCH, &path, &json!({"isActive": false}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&off["isActive"], &off["status"]["raised"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&off["lastTriggered"], &off["createdAt"]),
        (&raised["lastTriggered"], &made["createdAt"])
    );
    let on = app
        .call(&owner, Method::PATCH, &path, &json!({"isActive": true}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(on["isActive"], true);
    for (wrong, status) in [
        (json!({}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"isActive": 1}), StatusCode::BAD_REQUEST),
        (json!({"is_active": true}), StatusCode::BAD_REQUEST),
    ] {
        app.call(&owner, Method::PATCH, &path, &wrong)
            .await
            .expect(status);
    }
    app.call(
        &owner,
        Method::PATCH,
        "/api/farms/a/alerts/none",
        &json!({"isActive": true}),
    )
    .await
    .expect(StatusCode::NOT_FOUND);
    let entries = app.audited("a", "alert_%").await;
    let words: Vec<&str> = entries.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["alert_created", "alert_disabled", "alert_enabled"]);
}

#[tokio::test]
async fn a_viewer_learns_how_many_an_alert_tells_but_not_whom() {
    let (app, owner) = App::with_owner().await;
    let mut new = alert();
    new["subscribers"] = json!([{"email": "asha@farm.test"}, {"email": "ravi@farm.test"}]);
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &new)
        .await
        .expect(StatusCode::CREATED);
    let one = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    for (person, whom) in [(&manager, "asha@farm.test"), (&viewer, "•••")] {
        let listed = app
            .get(person, "/api/farms/a/alerts")
            .await
            .expect(StatusCode::OK);
        let got = app.get(person, &one).await.expect(StatusCode::OK);
        assert_eq!(listed[0], got);
        assert_eq!(got["subscribers"][0], json!({"email": whom}));
        assert_eq!(got["subscribers"].as_array().map(Vec::len), Some(2));
    }
}

#[tokio::test]
async fn an_alert_that_makes_no_sense_is_refused_as_the_form_does() {
    let (app, owner) = App::with_owner().await;
    let path = "/api/farms/a/alerts";
    for (field, value, problem, code) in [
        (
            "channels",
            json!(["EMAIL", "FAX"]),
            "channels[1]",
            "unknown_word",
        ),
        ("channels", json!("EMAIL"), "channels", "wrong_type"),
        ("subscribers", json!([]), "subscribers", "required"),
        ("subscribers", Value::Null, "subscribers", "required"),
        (
            "subscribers",
            json!([{"email": "a@b.test"}, {"email": "nobody"}]),
            "subscribers[1].email",
            "invalid_email",
        ),
        (
            "conditions",
            json!([{"sensor": "pH", "operator": ">", "value": 99}]),
            "conditions[0].value",
            "out_of_range",
        ),
        ("evidence", json!("median"), "evidence", "unknown_word"),
        ("severity", json!("urgent"), "severity", "unknown_word"),
    ] {
        let mut wrong = alert();
        wrong[field] = value;
        let refused = app.call(&owner, Method::POST, path, &wrong).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(
            (
                &refused["problems"][0]["path"],
                &refused["problems"][0]["code"]
            ),
            (&json!(problem), &json!(code)),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_new_alert_watches_the_worst_sensor_and_one_that_is_replaced_what_it_watched() {
    let (app, owner) = App::with_owner().await;
    let path = "/api/farms/a/alerts";
    let mut new = alert();
    new["conditions"][0]["unit"] = Value::Null;
    new.as_object_mut().expect("an object").remove("channels");
    let made = app.call(&owner, Method::POST, path, &new).await;
    let made = made.expect(StatusCode::CREATED);
    assert_eq!(
        (&made["evidence"], &made["severity"]),
        (&json!("worst"), &json!("warning"))
    );
    assert_eq!(
        (&made["channels"], &made["conditions"][0]["unit"]),
        (&json!([]), &json!(""))
    );
    let one = format!("{path}/{}", made["id"].as_str().expect("an id"));
    for (put, evidence, severity) in [
        (json!({"evidence": "mean"}), "mean", "warning"),
        (json!({"severity": "critical"}), "mean", "critical"),
        (json!({"evidence": "worst"}), "worst", "critical"),
    ] {
        let mut document = alert();
        for (field, value) in put.as_object().expect("an object") {
            document[field] = value.clone();
        }
        let kept = app.call(&owner, Method::PUT, &one, &document).await;
        let kept = kept.expect(StatusCode::OK);
        assert_eq!(
            (&kept["evidence"], &kept["severity"]),
            (&json!(evidence), &json!(severity))
        );
    }
}

#[tokio::test]
async fn an_alert_keeps_when_it_was_made_and_last_told() {
    let (app, owner) = App::with_owner().await;
    let mut new = alert();
    new["lastTriggered"] = json!(5);
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&made["isActive"], &made["lastTriggered"]),
        (&json!(true), &Value::Null)
    );
    let path = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    app.reading("a", "ph-a", 4_000_000).await;
    let raised = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(
        (&raised["status"]["raised"], &raised["status"]["condition"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        raised["status"]["raisedSince"], raised["lastTriggered"],
        "told as it was raised: {raised}"
    );
    assert!(
        raised["lastTriggered"].is_i64() && raised["status"]["nextNotification"].is_i64(),
        "{raised}"
    );

    let mut edited = raised.clone();
    edited["isActive"] = json!(false);
    edited["lastTriggered"] = json!(null);
    edited["createdAt"] = json!(1);
    let stored = app
        .call(&owner, Method::PUT, &path, &edited)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&stored["isActive"], &stored["status"]["raised"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&stored["lastTriggered"], &stored["createdAt"]),
        (&raised["lastTriggered"], &made["createdAt"])
    );
    app.call(&owner, Method::DELETE, &path, &json!(null))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(
        app.get(&owner, "/api/farms/a/alerts")
            .await
            .expect(StatusCode::OK),
        json!([])
    );
    let refused = app
        .call(
            &owner,
            Method::POST,
            "/api/farms/a/alerts",
            &json!({"name": "x"}),
        )
        .await;
    assert_eq!(
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY)["code"],
        "invalid"
    );
}

//! Who holds each device: the lane, what else wants it, since when and until when; and of no other farm.

use std::time::Duration;

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::pipeline::eventually;
use crate::support::{App, rule};

const HOLDERS: &str = "/api/farms/a/holders";

pub(crate) fn held<'a>(of: &'a Value, id: &str) -> &'a Value {
    let devices = of["devices"].as_array().expect("devices");
    { devices.iter() }
        .find(|d| d["id"] == id)
        .unwrap_or_else(|| panic!("no {id}: {of}"))
}

#[tokio::test]
async fn each_device_is_in_the_lane_of_who_decides() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.person("a", Role::Viewer).await;
    let mut cool = rule();
    cool["id"] = json!("cool");
    cool["deployed"] = json!(true);
    cool["trigger"]["duration_sec"] = json!(1);
    app.call(&owner, Method::POST, "/api/farms/a/rules", &cool)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "t-1", 36_000_000).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    app.reading("a", "t-1", 36_000_000).await;
    let fired = |all: &Value| held(all, "fan-1")["lane"] == "claim";
    let all = eventually(&app, &viewer, HOLDERS, fired).await;
    let fan = held(&all, "fan-1");
    assert_eq!(
        (&fan["holder"]["rule"], &fan["holder"]["action"]),
        (&json!("cool"), &json!("on"))
    );
    let text = fan["holder"]["text"].as_str().expect("a text");
    assert!(text.contains("Cool the house"), "{text}");
    assert_eq!(
        (&fan["others"], &fan["scope"]["polyhouseId"]),
        (&json!([]), &json!("ph-1"))
    );
    let pump = held(&all, "pump-1");
    assert_eq!(
        (&pump["lane"], &pump["others"]),
        (&json!("safety"), &json!([]))
    );
    let valve = held(&all, "valve-1");
    assert_eq!(
        (&valve["lane"], &valve["online"]),
        (&json!("rest"), &json!(false))
    );

    // a person stands before the rule, which waits
    let off = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": false}, "duration_sec": 600});
    app.call(&owner, Method::POST, "/api/farms/a/commands", &off)
        .await
        .expect(StatusCode::OK);
    let all = app.get(&viewer, HOLDERS).await.expect(StatusCode::OK);
    let fan = held(&all, "fan-1");
    assert_eq!(
        (&fan["lane"], &fan["others"][0]["rule"]),
        (&json!("manual"), &json!("cool"))
    );
    let times = (&fan["holder"]["since"], &fan["holder"]["until"]);
    let (since, until) = (times.0.as_i64(), times.1.as_i64());
    assert_eq!(since.zip(until).map(|(s, u)| u - s), Some(600_000), "{fan}");

    // and a stop before the person, which it ends
    let stop =
        json!({"id": "stop-1", "scope": {"type": "device", "deviceId": "fan-1"}, "reason": "belt"});
    app.call(&owner, Method::POST, "/api/farms/a/stop", &stop)
        .await
        .expect(StatusCode::OK);
    let request = app
        .request(Method::GET, HOLDERS)
        .bearer_auth(&viewer.token)
        .header(header::ACCEPT_LANGUAGE, "mr");
    let all = app.send(request).await.expect(StatusCode::OK);
    let fan = held(&all, "fan-1");
    assert_eq!(
        (&fan["lane"], &fan["others"][0]["rule"]),
        (&json!("lock"), &json!("cool"))
    );
    let text = fan["holder"]["text"].as_str().expect("a text");
    assert!(
        text.contains("Asha Patil") && text.contains("थांब"),
        "{text}"
    );
}

#[tokio::test]
async fn another_farms_devices_are_not_there() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    let stranger = app.person("b", Role::Owner).await;
    for path in [HOLDERS, "/api/farms/a/exceptions", "/api/farms/a/outages"] {
        app.get(&stranger, path).await.expect(StatusCode::NOT_FOUND);
        app.get(&owner, path).await.expect(StatusCode::OK);
    }
}

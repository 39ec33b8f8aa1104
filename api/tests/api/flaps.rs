//! What comes and goes: an alert that is raised and over again and again is one message, then one with how often when it is quiet.

use std::time::Duration;

use harit_api::DeliveryConfig;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::deliveries::{all_ways, came, latest, played, raise, start, with_alert};
use crate::pipeline::eventually;
use crate::support::{App, Person};

const LIST: &str = "/api/farms/a/deliveries";

#[tokio::test]
async fn what_comes_and_goes_is_told_once_and_then_with_how_often_when_it_is_quiet() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        join: Duration::ZERO,
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    with_alert(&app, &owner, &["SMS"], json!({})).await;
    for (value, count) in [(5_000_000, 1), (6_500_000, 2), (5_000_000, 3)] {
        raise(&app, value).await;
        came(&gateways, count).await;
    }
    let begins = gateways.inbox.all().remove(2);
    assert!(
        begins.text.starts_with("Alert comes and goes: Acid\n"),
        "{}",
        begins.text
    );
    latest(&app, &owner, "SENT").await;
    // what happens from then on is counted by one message that waits
    for (value, title, times) in [
        (6_500_000, "Alert resolved: Acid", 1),
        (5_000_000, "Alert: Acid", 1),
        (6_500_000, "Alert resolved: Acid", 1),
        (5_000_000, "Alert: Acid", 2),
    ] {
        raise(&app, value).await;
        let held = eventually(&app, &owner, LIST, |list| {
            let first = &list["messages"][0];
            first["title"] == title && first["times"] == times
        })
        .await;
        assert_eq!(held["messages"].as_array().map(Vec::len), Some(4), "{held}");
        let message = &held["messages"][0];
        let wait = message["nextTryAt"].as_i64().expect("an instant") - now_ms();
        assert!(
            (580_000..=600_000).contains(&wait),
            "quiet begins anew: {wait}"
        );
    }
    // an hour after it began it is told however it goes on
    app.meddle("UPDATE outbox SET created_at = created_at - 3540000 WHERE state = 'QUEUED'")
        .await;
    raise(&app, 6_500_000).await;
    let held = latest_titled(&app, &owner, "Alert resolved: Acid").await;
    let wait = held["nextTryAt"].as_i64().expect("an instant") - now_ms();
    assert!(wait <= 60_000, "{wait}");
    raise(&app, 5_000_000).await;
    latest_titled(&app, &owner, "Alert: Acid").await;
    app.meddle("UPDATE outbox SET next_try_at = 1 WHERE state = 'QUEUED'")
        .await;
    let told = came(&gateways, 4).await.remove(3);
    assert!(
        told.text.starts_with("Alert: Acid\n") && told.text.contains("(3 times)"),
        "{}",
        told.text
    );
    latest(&app, &owner, "SENT").await;
    // its link answers the time that goes on; its end is counted again, and told when it has been quiet
    let path = crate::told::link(&told.text);
    let answer = crate::told::post(&app, &path, "what=on_it&seen=0").await;
    assert_eq!(answer, StatusCode::OK);
    raise(&app, 6_500_000).await;
    let over = latest(&app, &owner, "QUEUED").await;
    assert_eq!(over["title"], "Alert resolved: Acid");
    app.meddle("UPDATE outbox SET next_try_at = 1, created_at = created_at - 3600000 WHERE state = 'QUEUED'")
        .await;
    let told = came(&gateways, 5).await.remove(4);
    assert!(
        told.text.starts_with("Alert resolved: Acid\n"),
        "{}",
        told.text
    );
    // quiet for long enough: the next time is a first one
    app.meddle("UPDATE outbox SET created_at = created_at - 3600000, sent_at = sent_at - 3600000")
        .await;
    app.meddle("DELETE FROM outbox_parts WHERE over_at IS NOT NULL")
        .await;
    raise(&app, 5_000_000).await;
    let first = came(&gateways, 6).await.remove(5);
    assert!(
        first.text.starts_with("Alert: Acid\n") && !first.text.contains("times)"),
        "{}",
        first.text
    );
}

/// The list once its latest message has a title.
async fn latest_titled(app: &App, owner: &Person, title: &str) -> Value {
    let list = eventually(app, owner, LIST, |list| {
        list["messages"][0]["title"] == title
    })
    .await;
    list["messages"][0].clone()
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

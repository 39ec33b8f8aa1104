//! A thousand alerts a minute: nobody gets more messages than their share, what is critical is told within five seconds, and another
//! farm's commands on the same shard take as long as before. `HARIT_STORM_ROUNDS` makes it longer.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use harit_gateways::Gateways;
use serde_json::json;
use tokio::time::{interval, sleep};

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, BLUE, GREEN};
use crate::neighbour::{House, measure_rules};
use crate::server::{machine_alone, until};

/// Houses of the farm that goes wild, and alerts of each: one a limit.
const WILD: usize = 8;
const LIMITS: usize = 25;
/// Of which one is critical, in each house.
const CRITICAL: usize = 10;
/// Between two alerts: a thousand a minute.
const BETWEEN: Duration = Duration::from_millis(60);
/// Houses of the other farm, which measure.
const HOUSES: usize = 8;
/// Messages that a person gets in an hour, and with critical ones.
const SHARE: usize = 6;
const CRITICAL_SHARE: usize = 30;
/// How often each measuring rule fires and stops in a round.
const MEASURED: usize = 5;
/// What is critical is told by then.
const SOON: Duration = Duration::from_secs(5);
/// By so much may commands take longer for noise: the machine has two cores, and the storm's clients are on them.
const NOISE: Duration = Duration::from_millis(100);

fn rounds() -> usize {
    let given = std::env::var("HARIT_STORM_ROUNDS").ok();
    given.map_or(1, |n| n.parse().expect("HARIT_STORM_ROUNDS is a number"))
}

/// A house with a sensor, and alerts at rising limits.
async fn wild(api: &Api, port: u16, n: usize) -> (Controller, Link) {
    let account = api.register(&format!("A4CF120D00{n:02X}")).await;
    let sensor = format!("wild-{n}");
    let controller = Controller::new(&account, &[&sensor], &[]);
    let link = controller.connect(port).await;
    let scope = json!({"type": "polyhouse", "farmId": GREEN, "polyhouseId": account.polyhouse});
    for limit in 0..LIMITS {
        let severity = if limit == CRITICAL {
            "critical"
        } else {
            "warning"
        };
        let alert = json!({
            "name": format!("wild {n} {limit}."), "severity": severity, "scope": scope, "repeatsIn": 60, "repeatUnit": "minutes",
            "channels": ["EMAIL"], "subscribers": [{"email": format!("owner@{GREEN}.example")}],
            "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 30 + limit, "unit": "°C"}],
        });
        let (status, answer) = api.post("alerts", &alert).await;
        assert_eq!(status, 201, "{answer}");
    }
    (controller, link)
}

/// Raises one alert after the other, each house in its turn, then ends them all; when each critical one was raised the first time.
async fn storm(links: &[Link]) -> BTreeMap<String, i64> {
    let mut critical = BTreeMap::new();
    let mut ticks = interval(BETWEEN);
    for _ in 0..rounds() {
        for limit in 0..LIMITS {
            for (n, link) in links.iter().enumerate() {
                ticks.tick().await;
                let value = 30.5 + f64::from(u32::try_from(limit).unwrap());
                let (at, _) = link.reading(&format!("wild-{n}"), value);
                if limit == CRITICAL {
                    critical.entry(format!("wild {n} {limit}.")).or_insert(at);
                }
            }
        }
        for (n, link) in links.iter().enumerate() {
            link.reading(&format!("wild-{n}"), 20.0);
        }
    }
    critical
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_alerts_a_minute_are_a_few_messages_and_slow_nobody() {
    let _machine = machine_alone().await;
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateways = Gateways::start(free, free).await.unwrap();
    let (port, share, dire) = (
        gateways.smtp.port().to_string(),
        SHARE.to_string(),
        CRITICAL_SHARE.to_string(),
    );
    let settings = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_SMTP_HOST", "127.0.0.1"),
        ("HARIT_SMTP_PORT", port.as_str()),
        ("HARIT_SMTP_SECURITY", "none"),
        ("HARIT_SMTP_FROM", "harit@farm.example"),
        ("HARIT_MESSAGES_PER_PERSON_HOUR", share.as_str()),
        ("HARIT_MESSAGES_CRITICAL_PER_PERSON_HOUR", dire.as_str()),
        ("HARIT_LIMITS_CHANGES_PER_USER", "100000"),
    ];
    let home = farm::seeded().await;
    let server = home.server(&[], &settings).await;
    let (blue, green) = (Api::of(&server, BLUE).await, Api::of(&server, GREEN).await);
    let mut houses = Vec::new();
    for n in 0..HOUSES {
        houses.push(House::new(&blue, server.mqtt, n).await);
    }
    let mut controllers = Vec::new();
    let mut links = Vec::new();
    for n in 0..WILD {
        let (controller, link) = wild(&green, server.mqtt, n).await;
        controllers.push(controller);
        links.push(link);
    }
    let began = Instant::now();
    let before = measure_rules("before", &houses, MEASURED).await;
    let (during, critical) = tokio::join!(
        measure_rules("during", &houses, MEASURED * rounds()),
        storm(&links)
    );
    assert_eq!(critical.len(), WILD);

    // what is critical came in time, by whichever message
    let found = until("what is critical is told", SOON, async || {
        let all = gateways.inbox.all();
        let of = |name: &String| {
            all.iter()
                .find(|m| m.text.contains(name.as_str()))
                .map(|m| m.at)
        };
        let told: Option<BTreeMap<String, i64>> = { critical.keys() }
            .map(|name| Some((name.clone(), of(name)?)))
            .collect();
        told
    })
    .await;
    let late = |name: &String| found[name] - critical[name];
    let latest = critical.keys().map(late).max().unwrap();
    let raised = green.metric("harit_notifications_total", "").await;
    // what waits for its cause goes now
    sleep(Duration::from_secs(12)).await;
    let all = gateways.inbox.all();
    eprintln!(
        "{raised} notices, {} messages in {:?}, critical within {latest} ms; reading to command before {before}, during {during}",
        all.len(),
        began.elapsed()
    );
    assert!(
        latest <= i64::try_from(SOON.as_millis()).unwrap(),
        "{latest} ms"
    );
    let least = u32::try_from(WILD * (LIMITS - 1)).unwrap();
    assert!(raised >= f64::from(least), "{raised}");
    // a share, one number for the rest, and one for what is critical beyond it
    assert!(all.len() <= CRITICAL_SHARE + 2, "{all:#?}");
    assert!(
        !all.is_empty() && all.len() < WILD * LIMITS / 4,
        "{}",
        all.len()
    );
    assert!(all.iter().all(|m| m.to == format!("owner@{GREEN}.example")));
    assert!(
        during.p50 <= before.p50 * 2 + NOISE,
        "before {before}, during {during}"
    );
}

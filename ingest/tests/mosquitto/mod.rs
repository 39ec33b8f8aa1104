//! Harit as a client of a Mosquitto.

use std::sync::Arc;
use std::time::Duration;

use harit_ingest::mqtt::{BrokerClient, BrokerConfig, Downlink, Uplink};
use harit_testkit::PATIENCE;
use harit_testkit::mosquitto::{self, Broker};
use harit_testkit::mqtt::{MAC, OTHER_MAC, SECRET};
use tokio::process::Command;
use tokio::time::timeout;

use crate::rig::{Pipeline, topic};

/// A Mosquitto that knows Harit and two controllers.
pub(crate) async fn start() -> Broker {
    start_with(|config| config).await
}

/// The same, with a change to its configuration.
pub(crate) async fn start_with(change: impl FnOnce(String) -> String) -> Broker {
    let accounts = ["harit", MAC, OTHER_MAC].map(|user| (user, SECRET));
    Broker::start(&accounts, change).await
}

/// Harit with a pipeline that the test controls, connected.
pub(crate) async fn connect(broker: &Broker) -> (Arc<Pipeline>, BrokerClient, Downlink) {
    let config = BrokerConfig {
        port: broker.port,
        username: Some("harit".into()),
        password: Some(SECRET.into()),
        keep_alive: Duration::from_secs(2),
        ..BrokerConfig::default()
    };
    let pipeline = Pipeline::new();
    let uplink = Arc::clone(&pipeline) as Arc<dyn Uplink>;
    let (client, downlink) = BrokerClient::connect(config, uplink).await.unwrap();
    until_up(&client).await;
    (pipeline, client, downlink)
}

pub(crate) async fn until_up(client: &BrokerClient) {
    let up = timeout(PATIENCE, async {
        while !client.is_up() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(
        up.await.is_ok(),
        "the client does not get through to the broker"
    );
}

/// One of Mosquitto's clients.
pub(crate) fn program(broker: &Broker, name: &str, user: &str, arguments: &[&str]) -> Command {
    mosquitto::client(name, broker.port, (user, SECRET), arguments)
}

pub(crate) async fn publish(broker: &Broker, user: &str, arguments: &[&str]) {
    let run = program(broker, "mosquitto_pub", user, arguments).status();
    assert!(timeout(PATIENCE, run).await.unwrap().unwrap().success());
}

/// A controller publishes telemetry.
pub(crate) async fn telemetry(broker: &Broker, payload: &str) {
    let topic = topic("telemetry");
    publish(broker, MAC, &["-q", "1", "-t", &topic, "-m", payload]).await;
}

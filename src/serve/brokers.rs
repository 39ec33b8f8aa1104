//! Clients of other people's brokers, beside whatever the farms' own controllers connect to.

use std::io::{self, Write as _};

use harit_ingest::Hub;
use harit_ingest::home_assistant::{self, Announcement};
use harit_ingest::mqtt::Brokers;

use super::Failed;
use crate::config::Config;

/// Starts a client for each broker of the configuration, and has farms announce themselves there.
pub(super) async fn start(config: &Config, hub: &Hub) -> Result<Brokers, Failed> {
    let mut brokers = Brokers::default();
    for broker in &config.brokers {
        let client = broker.client().map_err(Failed::at("configuration"))?;
        let what = format!("broker {}", broker.name);
        if broker.home_assistant.is_empty() {
            let added = brokers.add(client, hub.uplink()).await;
            added.map_err(Failed::at(what))?;
            continue;
        }
        let announcement = Announcement {
            farm: broker.home_assistant.as_str().into(),
            broker: broker.name.clone(),
            commands: broker.home_assistant_commands,
            on: { broker.home_assistant_on.iter() }
                .map(|id| id.as_str().into())
                .collect(),
        };
        let (side, inbox) = announcement.side();
        let mut client = client;
        client.side = Some(side);
        let keeper = brokers.add(client, hub.uplink()).await;
        let keeper = keeper.map_err(Failed::at(what))?;
        tokio::spawn(home_assistant::run(
            hub.clone(),
            announcement,
            keeper,
            inbox,
        ));
    }
    Ok(brokers)
}

/// Connects to each broker in a session of its own, and says what came of it; whether all can be used.
pub(super) fn attempt(config: &Config) -> Result<bool, Failed> {
    let clients = config
        .broker_clients()
        .map_err(Failed::at("configuration"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failed::at("runtime"))?;
    let mut all_well = true;
    for client in clients {
        let said = match runtime.block_on(client.attempt()) {
            Ok(()) => "connected and subscribed".to_owned(),
            Err(why) => {
                all_well = false;
                why
            }
        };
        let mut out = io::stdout().lock();
        let _closed = writeln!(
            out,
            "broker {} ({}:{}): {said}",
            client.name, client.host, client.port
        );
    }
    Ok(all_well)
}

//! Clients of other people's brokers, beside whatever the farms' own controllers connect to.

use std::io::{self, Write as _};

use harit_ingest::Hub;
use harit_ingest::mqtt::Brokers;

use super::Failed;
use crate::config::Config;

/// Starts a client for each broker of the configuration.
pub(super) async fn start(config: &Config, hub: &Hub) -> Result<Brokers, Failed> {
    let mut brokers = Brokers::default();
    let clients = config.broker_clients();
    for client in clients.map_err(Failed::at("configuration"))? {
        let what = format!("broker {}", client.name);
        let added = brokers.add(client, hub.uplink()).await;
        added.map_err(Failed::at(what))?;
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

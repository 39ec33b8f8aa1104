//! The ways to controllers and devices: this server's endpoint or the farms' broker, and other people's brokers.

use std::net::SocketAddr;
use std::sync::Arc;

use harit_api::Probe;
use harit_ingest::Hub;
use harit_ingest::mqtt::{
    BrokerClient, BrokerConfig, Brokers, Downlink, Endpoint, EndpointConfig, TlsEnd,
};
use jiff::Timestamp;

use super::{Failed, brokers};
use crate::config::{Config, MqttMode};

/// The way to the controllers: this server's endpoint, or somebody's broker.
pub(super) struct Mqtt {
    pub(super) transport: Transport,
    pub(super) address: SocketAddr,
    pub(super) up: Probe,
    pub(super) brokers: Brokers,
}

pub(super) enum Transport {
    Endpoint(Endpoint),
    Broker(BrokerClient),
}

impl Mqtt {
    pub(super) async fn start(config: &Config, hub: &Hub) -> Result<Self, Failed> {
        let m = &config.mqtt;
        let (transport, downlink, address, up): (_, Downlink, _, Probe) = match m.mode {
            MqttMode::Endpoint => {
                let endpoint = EndpointConfig {
                    listen: m.listen,
                    tls: m.tls_files(),
                    max_connections: m.max_connections,
                    max_connections_per_address: m.connections_per_address,
                    max_parked_sessions: m.max_parked_sessions,
                    ..EndpointConfig::default()
                };
                let (endpoint, downlink) = Endpoint::bind(endpoint, hub.uplink())
                    .await
                    .map_err(Failed::at(format!("mqtt {}", m.listen)))?;
                let address = endpoint.local_addr();
                (
                    Transport::Endpoint(endpoint),
                    downlink,
                    address,
                    Arc::new(|| true),
                )
            }
            MqttMode::Broker => {
                let what = format!("broker {}:{}", m.broker_host, m.broker_port);
                let address = tokio::net::lookup_host((m.broker_host.as_str(), m.broker_port))
                    .await
                    .map_err(Failed::at(what.clone()))?
                    .next();
                let address =
                    address.ok_or_else(|| Failed::at(what.clone())("the name has no address"))?;
                let given = |text: &String| (!text.is_empty()).then(|| text.clone());
                let broker = BrokerConfig {
                    host: m.broker_host.clone(),
                    port: m.broker_port,
                    client_id: m.broker_client_id.clone(),
                    username: given(&m.broker_username),
                    password: given(&m.broker_password),
                    ..BrokerConfig::default()
                };
                let (client, downlink) = BrokerClient::connect(broker, hub.uplink())
                    .await
                    .map_err(Failed::at(what))?;
                let up = client.probe();
                (Transport::Broker(client), downlink, address, up)
            }
        };
        let brokers = brokers::start(config, hub).await?;
        hub.attach(brokers.beside(downlink));
        Ok(Self {
            transport,
            address,
            up,
            brokers,
        })
    }

    /// Has the files of TLS be read again.
    pub(super) fn reloader(&self) -> Arc<dyn Fn() + Send + Sync> {
        match &self.transport {
            Transport::Endpoint(endpoint) => endpoint.reloader(),
            Transport::Broker(_) => Arc::new(|| {}),
        }
    }

    /// Takes nothing more, and closes all connections.
    pub(super) async fn shutdown(self) {
        tokio::join!(self.transport.shutdown(), self.brokers.shutdown());
    }
}

impl Transport {
    async fn shutdown(self) {
        match self {
            Self::Endpoint(endpoint) => endpoint.shutdown().await,
            Self::Broker(client) => client.shutdown().await,
        }
    }
}

/// How many days a file of TLS is good for.
pub(super) fn say_end(end: &TlsEnd) -> String {
    let now = Timestamp::now().as_second();
    let at = i64::try_from(end.at).unwrap_or(i64::MAX);
    let day = Timestamp::from_second(at)
        .map_or_else(|_| "?".to_owned(), |t| t.strftime("%Y-%m-%d").to_string());
    let left = (at - now).div_euclid(86_400);
    let (what, file) = (end.what, end.file.display());
    if left < 0 {
        format!("mqtt.tls_{what} ({file}): over since {day}")
    } else {
        format!("mqtt.tls_{what} ({file}): {left} days left, until {day}")
    }
}

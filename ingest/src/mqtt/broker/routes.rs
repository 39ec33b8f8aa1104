//! Several brokers beside whatever has the farms' own controllers: what is for an account goes the way that it came.

use std::sync::Arc;

use harit_protocol::{Mac, Topic};

use super::{BrokerClient, BrokerConfig, BrokerError, Keeper};
use crate::mqtt::{Downlink, Principal, Uplink};

/// The clients of all brokers of the configuration.
#[derive(Default)]
pub struct Brokers {
    all: Vec<(String, BrokerClient)>,
    ways: Vec<(Vec<Mac>, Downlink)>,
}

/// What tells whether a broker is connected.
pub type BrokerProbe = (String, Arc<dyn Fn() -> bool + Send + Sync>);

impl Brokers {
    /// Starts one more client; what publishes messages that its broker keeps.
    ///
    /// # Errors
    /// When its configuration cannot work.
    pub async fn add(
        &mut self,
        config: BrokerConfig,
        uplink: Arc<dyn Uplink>,
    ) -> Result<Keeper, BrokerError> {
        let name = config.name.clone();
        let accounts = config.subscriptions.iter().map(|s| s.account).collect();
        let (client, downlink) = BrokerClient::connect(config, uplink).await?;
        let keeper = client.keeper();
        self.all.push((name, client));
        self.ways.push((accounts, downlink));
        Ok(keeper)
    }

    /// A downlink by which what is for the brokers' accounts goes to their broker, and everything else by the given one.
    #[must_use]
    pub fn beside(&self, other: Downlink) -> Downlink {
        let ways = self.ways.clone();
        let of = move |mac: &Mac| {
            let way = ways.iter().find(|(accounts, _)| accounts.contains(mac));
            way.map(|(_, downlink)| downlink.clone())
        };
        Downlink::addressed(move |to, topic, payload| match to {
            Some(to) => {
                let way = match to {
                    Principal::Controller { mac, .. } => of(mac),
                    Principal::Integration { .. } => None,
                };
                way.as_ref()
                    .unwrap_or(&other)
                    .publish_to(to, topic, payload)
            }
            None => {
                let way = Topic::parse(topic).ok().and_then(|topic| of(&topic.mac));
                way.as_ref().unwrap_or(&other).publish(topic, payload)
            }
        })
    }

    /// What tells of each broker whether it is connected.
    #[must_use]
    pub fn probes(&self) -> Vec<BrokerProbe> {
        let all = self.all.iter();
        all.map(|(name, client)| (name.clone(), client.probe()))
            .collect()
    }

    /// Acknowledges what is durable by now, and says goodbye to all of them.
    pub async fn shutdown(self) {
        let all = self.all.into_iter().map(|(_, client)| client.shutdown());
        futures_util::future::join_all(all).await;
    }
}

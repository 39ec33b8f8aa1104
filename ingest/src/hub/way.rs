//! The way from a transport into the shards.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use harit_protocol::topic::{Topic, TopicKind, farm_prefix};
use harit_protocol::{Mac, Reject};

use super::Inner;
use crate::directory::ControllerKind;
use crate::mqtt::{Batch, Principal, Publish, Receipt, Refusal, Refused, Taken, Uplink};
use crate::shard::queue::Work;
use crate::shard::receipt::PartReceipt;

/// Stands for the topic of a refused connection.
const CONNECT: &str = "(connect)";

/// The way from a transport into the shards.
pub(super) struct Way(pub(super) Arc<Inner>);

impl Way {
    fn letter(&self, farm: &FarmId, topic: &str, reject: Reject, payload: &[u8]) {
        let now = self.0.shared.source.wall();
        let letters = &self.0.shared.letters;
        letters.add(farm, topic, reject, payload, now);
    }

    #[allow(
        clippy::async_yields_async,
        reason = "a receipt is awaited later than its batch is handed over: that is what it is for"
    )]
    fn take(&self, batch: Batch, kept: bool) -> BoxFuture<'_, Receipt> {
        Box::pin(async move {
            let arrived = Instant::now();
            let (parts, rejected) = match &batch.from {
                Some(principal) => {
                    let farm = principal.farm().clone();
                    let shard = self.0.generation.shard_of(farm.as_str());
                    (vec![((shard, farm), batch.publishes)], 0)
                }
                None => self.sort(batch.publishes),
            };
            if parts.is_empty() {
                return Receipt::ready(Taken { rejected });
            }
            let (receipts, whole) = PartReceipt::parts(parts.len(), rejected);
            for (((shard, farm), publishes), receipt) in parts.into_iter().zip(receipts) {
                let cost = cost(&publishes);
                let work = Work::Batch {
                    only_readings: self.0.waits && only_readings(&publishes),
                    from: batch.from.clone(),
                    kept,
                    publishes,
                    receipt,
                    arrived,
                };
                // A shard that is closed drops it, and the receipt says so.
                let _ = self.0.shards[shard].queue.put(farm, work, cost).await;
            }
            whole
        })
    }

    /// Sorts publishes without a sender by the farm that their topic names. Those that nobody has are sorted together: who
    /// invents farms makes no lanes for them.
    fn sort(&self, publishes: Vec<Publish>) -> (Parts, usize) {
        let mut parts: BTreeMap<(usize, FarmId), Vec<Publish>> = BTreeMap::new();
        let mut rejected = 0;
        let farms = self.0.farms.read().unwrap_or_else(PoisonError::into_inner);
        for publish in publishes {
            match Topic::parse(&publish.topic) {
                Ok(topic) => {
                    let known = farms.get_key_value(topic.farm).map(|(id, _)| id.clone());
                    let farm = known.unwrap_or_else(|| FarmId::from(""));
                    let shard = self.0.generation.shard_of(topic.farm);
                    parts.entry((shard, farm)).or_default().push(publish);
                }
                Err(_) => {
                    rejected += 1;
                    self.letter(
                        &FarmId::from(""),
                        &publish.topic,
                        Reject::Topic,
                        &publish.payload,
                    );
                }
            }
        }
        (parts.into_iter().collect(), rejected)
    }
}

/// Publishes, by shard and farm.
type Parts = Vec<((usize, FarmId), Vec<Publish>)>;

/// Whether it is readings and nothing else.
fn only_readings(publishes: &[Publish]) -> bool {
    let is_reading = |p: &Publish| {
        let topic = Topic::parse(&p.topic);
        topic.is_ok_and(|t| matches!(t.kind, TopicKind::Telemetry(_)))
    };
    publishes.iter().all(is_reading)
}

fn cost(publishes: &[Publish]) -> usize {
    publishes.iter().map(|p| 1 + p.payload.len() / 1_024).sum()
}

impl Uplink for Way {
    fn authenticate<'a>(
        &'a self,
        username: &'a str,
        password: &'a [u8],
        _client_id: &'a str,
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async move {
            let directory = &self.0.shared.directory;
            match Mac::parse(username) {
                Ok(mac) => {
                    let record = directory.verify(&mac, password).await?;
                    if !record.enabled {
                        return Err(Refusal::Disabled);
                    }
                    Ok(Principal::Controller {
                        farm: record.farm,
                        mac: record.mac,
                    })
                }
                Err(_) => directory.verify_integration(username, password).await,
            }
        })
    }

    fn certified(&self, mac: &Mac) -> Result<Principal, Refusal> {
        let record = self.0.shared.directory.lookup(mac);
        let record = record.ok_or(Refusal::Unknown)?;
        if !record.enabled {
            return Err(Refusal::Disabled);
        }
        Ok(Principal::Controller {
            farm: record.farm,
            mac: record.mac,
        })
    }

    fn receive(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        self.take(batch, false)
    }

    fn receive_kept(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        self.take(batch, true)
    }

    fn account(&self, mac: &Mac) -> Option<Principal> {
        let record = self.0.shared.directory.lookup(mac)?;
        record.enabled.then_some(Principal::Controller {
            farm: record.farm,
            mac: record.mac,
        })
    }

    fn refused(&self, refused: &Refused<'_>) {
        // A letter belongs to its sender's farm: whoever publishes to somebody else's topic writes nothing into that farm's
        // letters. Its topic says who that was.
        let known = || {
            let mac = Mac::parse(refused.username).ok()?;
            let record = self.0.shared.directory.lookup(&mac)?;
            Some((record.farm, record.mac.to_string()))
        };
        let sender = match refused.from {
            Some(Principal::Controller { farm, mac }) => Some((farm.clone(), mac.to_string())),
            Some(Principal::Integration { farm, name }) => Some((farm.clone(), name.to_string())),
            // Who did not show who it is, but gives the name of a controller: its farm has to know why it does not connect.
            None => known(),
        };
        let (farm, own) = match sender {
            Some((farm, name)) => {
                let own = format!("{}{name}", farm_prefix(&farm));
                (farm, own)
            }
            // An address alone, of whom nothing is known: the log has it.
            None if refused.username.is_empty() => return,
            None => (FarmId::from(""), refused.username.to_owned()),
        };
        let Refused {
            reason, payload, ..
        } = *refused;
        let Some(topic) = refused.topic else {
            let Refused {
                client_id,
                address,
                detail,
                ..
            } = refused;
            let mut said = format!("client id {client_id:?} from {address}");
            if !detail.is_empty() {
                said = format!("{said}: {detail}");
            }
            let topic = format!("{own} -> {CONNECT}");
            return self.letter(&farm, &topic, reason, said.as_bytes());
        };
        let inside = topic
            .strip_prefix(own.as_str())
            .is_some_and(|rest| rest.starts_with('/'));
        if inside {
            self.letter(&farm, topic, reason, payload);
        } else {
            self.letter(&farm, &format!("{own} -> {topic}"), reason, payload);
        }
    }

    fn may_subscribe(&self, principal: &Principal, filter: &str) -> bool {
        match principal {
            Principal::Controller { farm, .. } => self.0.shared.profiles(farm).commands_on(filter),
            Principal::Integration { .. } => false,
        }
    }

    fn connected(&self, principal: &Principal) {
        // What a controller has to say it says in its birth message; until then nothing is known to have changed. A gateway says
        // nothing of itself: it is there while its connection is.
        if let Principal::Controller { farm, mac } = principal {
            tracing::debug!(%farm, %mac, "connected");
            let record = self.0.shared.directory.lookup(mac);
            if record.is_some_and(|r| r.kind == ControllerKind::Gateway) {
                let shard = self.0.generation.shard_of(farm.as_str());
                let came = Work::Came {
                    farm: farm.clone(),
                    mac: *mac,
                };
                self.0.shards[shard].queue.put_now(farm.clone(), came);
            }
        }
    }

    fn disconnected(&self, principal: &Principal) {
        if let Principal::Controller { farm, mac } = principal {
            let shard = self.0.generation.shard_of(farm.as_str());
            let gone = Work::Gone {
                farm: farm.clone(),
                mac: *mac,
            };
            self.0.shards[shard].queue.put_now(farm.clone(), gone);
        }
    }
}

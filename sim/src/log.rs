//! What reaches a server, turn by turn, so that it can be played again.

use harit_engine::{FarmId, InputKind};
use harit_ingest::mqtt::{Batch, Principal, Publish, Receipt};
use harit_ingest::simulation::Server;
use harit_protocol::Mac;

/// Something that reached the server.
#[derive(Debug, Clone)]
pub enum Work {
    /// A publish of a controller.
    Publish {
        /// Whose farm.
        farm: FarmId,
        /// Which controller.
        mac: Mac,
        /// The last level of its topic.
        kind: &'static str,
        /// Its payload.
        payload: bytes::Bytes,
    },
    /// A publish on a topic that is not its sender's.
    Forged {
        /// Who publishes.
        by: (FarmId, Mac),
        /// On which topic.
        topic: String,
        /// What.
        payload: bytes::Bytes,
    },
    /// A person's input.
    Admit {
        /// Whose farm.
        farm: FarmId,
        /// What.
        kind: Box<InputKind>,
    },
    /// A connection is gone.
    Gone {
        /// Whose farm.
        farm: FarmId,
        /// Which controller's.
        mac: Mac,
    },
}

/// What reached the server, turn by turn.
pub type Log = Vec<(i64, Vec<Work>)>;

impl Work {
    /// Whether it is a stop.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Admit { kind, .. } if matches!(**kind, InputKind::Stop(_)))
    }

    /// Whose it is.
    #[must_use]
    pub const fn farm(&self) -> &FarmId {
        match self {
            Self::Publish { farm, .. }
            | Self::Forged { by: (farm, _), .. }
            | Self::Admit { farm, .. }
            | Self::Gone { farm, .. } => farm,
        }
    }
}

/// The topic on which a controller publishes something of a kind.
pub(crate) fn topic(farm: &FarmId, mac: Mac, kind: &str) -> String {
    format!("harit/1/{farm}/{mac}/{kind}")
}

/// Puts something into a server's queue.
pub(crate) fn receive(server: &mut Server, work: &Work) -> Option<Receipt> {
    let (farm, mac, topic, payload) = match work.clone() {
        Work::Publish {
            farm,
            mac,
            kind,
            payload,
        } => {
            let topic = topic(&farm, mac, kind);
            (farm, mac, topic, payload)
        }
        Work::Forged {
            by: (farm, mac),
            topic,
            payload,
        } => (farm, mac, topic, payload),
        Work::Admit { farm, kind } => {
            drop(server.admit(&farm, *kind));
            return None;
        }
        Work::Gone { farm, mac } => {
            server.gone(&farm, mac);
            return None;
        }
    };
    Some(server.receive(Batch {
        from: Some(Principal::Controller { farm, mac }),
        publishes: vec![Publish {
            topic: topic.into(),
            payload,
            retain: false,
            oversized: None,
        }],
    }))
}

//! Messages of a broker that are in hand, and whether one that comes is one of them.
//!
//! After a connection is lost the broker sends again what was not acknowledged, under the same packet ids. What was handed over
//! before is not handed over twice: its acknowledgement is owed to the new connection.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use super::client::Incoming;

/// A message's packet id, and the connection that it came by. QoS 0 has no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) connection: u64,
    pub(super) packet_id: u16,
}

/// What is known of the message that a packet id was last.
struct Known {
    content: u64,
    connection: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its receipt is awaited.
    Open,
    /// It is durable.
    Durable,
    /// Its acknowledgement was given to its connection, and may have been lost with it.
    Acknowledged,
}

/// What a message is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Is {
    New,
    /// It came before by the connection of that number, and is not durable yet.
    Open(u64),
    /// It came before, and is durable.
    Durable,
}

/// The messages of a session, by packet id.
#[derive(Default)]
pub(super) struct InHand(HashMap<u16, Known>);

impl InHand {
    /// The broker began a new session: its packet ids mean nothing that was.
    pub(super) fn forget_all(&mut self) {
        self.0.clear();
    }

    /// Notes a message, and says whether it came before.
    pub(super) fn came(&mut self, connection: u64, message: &Incoming) -> Is {
        if message.packet_id == 0 {
            return Is::New;
        }
        let mut hasher = DefaultHasher::new();
        (&message.topic, &message.payload, message.retain).hash(&mut hasher);
        let content = hasher.finish();
        if let Some(known) = self.0.get_mut(&message.packet_id)
            && known.connection != connection
            && known.content == content
            // One whose acknowledgement got there is followed by others of that id, which may be alike.
            && (known.state != State::Acknowledged || message.dup)
        {
            let before = std::mem::replace(&mut known.connection, connection);
            return match known.state {
                State::Open => Is::Open(before),
                State::Durable | State::Acknowledged => {
                    known.state = State::Durable;
                    Is::Durable
                }
            };
        }
        let known = Known {
            content,
            connection,
            state: State::Open,
        };
        self.0.insert(message.packet_id, known);
        Is::New
    }

    fn set(&mut self, origin: Origin, state: State) {
        if let Some(known) = self.0.get_mut(&origin.packet_id)
            && known.connection == origin.connection
        {
            known.state = state;
        }
    }

    pub(super) fn durable(&mut self, origin: Origin) {
        self.set(origin, State::Durable);
    }

    pub(super) fn acknowledged(&mut self, origin: Origin) {
        self.set(origin, State::Acknowledged);
    }

    /// It was not taken: the broker is to send it again, and then it is new.
    pub(super) fn lost(&mut self, origin: Origin) {
        self.0.remove(&origin.packet_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(packet_id: u16, payload: &'static str, dup: bool) -> Incoming {
        Incoming {
            topic: "t".into(),
            payload: payload.into(),
            retain: false,
            dup,
            packet_id,
        }
    }

    #[test]
    fn what_is_sent_again_is_known() {
        let mut hand = InHand::default();
        let first = Origin {
            connection: 0,
            packet_id: 7,
        };
        assert_eq!(hand.came(0, &message(7, "a", false)), Is::New);
        // On the same connection an id comes again only for another message.
        assert_eq!(hand.came(0, &message(7, "a", false)), Is::New);
        assert_eq!(hand.came(1, &message(7, "a", true)), Is::Open(0));
        // What was its own connection's is said too late.
        hand.acknowledged(first);
        assert_eq!(hand.came(2, &message(7, "a", false)), Is::Open(1));
        let third = Origin {
            connection: 2,
            packet_id: 7,
        };
        hand.durable(third);
        assert_eq!(hand.came(3, &message(7, "a", false)), Is::Durable);
        // Acknowledged: alike and not sent again is new.
        hand.acknowledged(Origin {
            connection: 3,
            ..third
        });
        assert_eq!(hand.came(4, &message(7, "a", true)), Is::Durable);
        hand.acknowledged(Origin {
            connection: 4,
            ..third
        });
        assert_eq!(hand.came(5, &message(7, "a", false)), Is::New);
        assert_eq!(hand.came(6, &message(7, "b", true)), Is::New);
        hand.lost(Origin {
            connection: 6,
            ..third
        });
        assert_eq!(hand.came(7, &message(7, "b", true)), Is::New);
        assert_eq!(hand.came(8, &message(0, "b", false)), Is::New);
        hand.forget_all();
        assert_eq!(hand.came(9, &message(7, "b", true)), Is::New);
    }
}

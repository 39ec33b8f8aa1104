//! What is owed for batches whose receipts did not resolve yet, and what becomes of it when the connection ends.

use tokio::io::{AsyncRead, AsyncWrite};

use super::Connection;
use crate::mqtt::session::Unsettled;
use crate::mqtt::{Receipt, reason};

/// An acknowledgement that is owed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ack {
    pub(super) packet_id: u16,
    pub(super) code: u8,
    /// Of a QoS 2 publish.
    pub(super) exactly_once: bool,
}

impl Ack {
    /// Whether the client is to release the id before it is free.
    pub(super) fn awaits_release(self) -> bool {
        self.exactly_once && self.code == reason::SUCCESS
    }
}

/// What is owed for a batch once its receipt resolves.
#[derive(Debug, Default)]
pub(super) struct Owed {
    pub(super) acks: Vec<Ack>,
    /// QoS 2 publishes of an earlier connection: their receipts are waited for, nothing is answered.
    earlier: Vec<u16>,
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

impl Owed {
    /// What a batch of an earlier connection waits for.
    pub(super) fn of_earlier(batch: Unsettled) -> (Receipt, Self) {
        let owed = Self {
            acks: Vec::new(),
            earlier: batch.packet_ids,
            messages: batch.messages,
            bytes: batch.bytes,
        };
        (batch.receipt, owed)
    }

    /// The ids that are taken for the same publish when they come again, once this is safe.
    pub(super) fn once(&self) -> Vec<u16> {
        let own = self.acks.iter().filter(|ack| ack.awaits_release());
        let own = own.map(|ack| ack.packet_id);
        own.chain(self.earlier.iter().copied()).collect()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    /// After the end: hands over what was read, so that a publish right before a goodbye is not lost, and waits for the
    /// receipts that are still to come if the client is there to hear of them.
    pub(in crate::mqtt) async fn settle(&mut self, with_receipts: bool) {
        if let Some((handing, _)) = &mut self.handing {
            let receipt = handing.as_mut().await;
            if let Some((_, owed)) = self.handing.take() {
                self.waiting.push_back((receipt, owed));
            }
        }
        while with_receipts && let Some((receipt, _)) = self.waiting.front_mut() {
            let taken = receipt.await;
            let Some((_, owed)) = self.waiting.pop_front() else {
                return;
            };
            if taken.is_err() {
                return self.ready.held.session.lose(&owed.once());
            }
            self.acknowledge(&owed);
        }
    }

    /// After that: what is not safe yet of QoS 2 publishes is left to the session, and what was not handed over is lost.
    pub(in crate::mqtt) fn leave_unsettled(&mut self) {
        let session = &self.ready.held.session;
        if let Some((_, owed)) = self.handing.take() {
            session.lose(&owed.once());
        }
        let left = self.waiting.drain(..).filter_map(|(receipt, owed)| {
            let packet_ids = owed.once();
            (!packet_ids.is_empty()).then_some(Unsettled {
                receipt,
                packet_ids,
                messages: owed.messages,
                bytes: owed.bytes,
            })
        });
        session.leave_unsettled(left.collect());
    }
}

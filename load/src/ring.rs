//! A controller's messages, made once: frames one after the other in one buffer, sent again and again.

use std::ops::Range;

use crate::farm::Controller;
use crate::frame;

/// Different messages of a controller. More would only push each other out of the processor's cache.
pub(crate) const TURNS: usize = 64;

/// The frames.
#[derive(Debug)]
pub(crate) struct Ring {
    bytes: Vec<u8>,
    /// Where each frame begins, and where the last one ends.
    starts: Vec<usize>,
    /// Where each frame has its packet id.
    ids: Vec<Option<usize>>,
    next: usize,
}

impl Ring {
    pub(crate) fn new(controller: &Controller, at_least_once: bool) -> Self {
        let topic = controller.topic("telemetry");
        let (mut bytes, mut starts, mut ids) = (vec![], vec![0], vec![]);
        for turn in 0..TURNS {
            let payload = controller.telemetry(turn);
            let id = at_least_once.then_some(0);
            ids.push(frame::publish(
                &mut bytes,
                &topic,
                payload.as_bytes(),
                id,
                false,
            ));
            starts.push(bytes.len());
        }
        Self {
            bytes,
            starts,
            ids,
            next: 0,
        }
    }

    /// The next frames that lie together, at most `count`: their number and their bytes. `id` gives each its packet id.
    pub(crate) fn take(
        &mut self,
        count: usize,
        mut id: impl FnMut() -> u16,
    ) -> (usize, Range<usize>) {
        let from = self.next;
        let to = (from + count).min(TURNS);
        for at in self.ids[from..to].iter().flatten() {
            self.bytes[*at..at + 2].copy_from_slice(&id().to_be_bytes());
        }
        self.next = to % TURNS;
        (to - from, self.starts[from]..self.starts[to])
    }

    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// The mean length of a frame.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.bytes.len() / TURNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::farm::{BenchFarms, Shape};

    #[test]
    fn frames_come_in_turn_with_their_ids() {
        let farms = BenchFarms {
            farms: 1,
            controllers: 1,
            idle: 0,
            values: 3,
            rules: 0,
        };
        let controller = Controller::new(0, &farms.account(0), 3, Shape::Full);
        let mut ring = Ring::new(&controller, true);
        let (mut next, mut seen) = (0, 0_usize);
        while seen < 200 {
            let (n, range) = ring.take(50, || {
                next += 1;
                next
            });
            let mut bytes = ring.bytes(range);
            for _ in 0..n {
                let Some(frame::Packet::Publish { packet_id, payload }) =
                    frame::take(&mut bytes).unwrap()
                else {
                    panic!()
                };
                seen += 1;
                assert_eq!(packet_id.map(usize::from), Some(seen));
                assert_eq!(payload, controller.telemetry((seen - 1) % TURNS).as_bytes());
            }
            assert!(bytes.is_empty());
        }
    }
}

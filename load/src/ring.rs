//! A controller's messages, made once: frames one after the other in one buffer, sent again and again. Where values wander,
//! their digits are written over those of before: a value of a kind always has as many.

use std::ops::Range;

use crate::farm::Controller;
use crate::frame;
use crate::wander::{Step, Walk, overwrite};

/// Different messages of a controller. More would only push each other out of the processor's cache.
pub(crate) const TURNS: usize = 64;

/// The frames.
pub(crate) struct Ring {
    bytes: Vec<u8>,
    /// Where each frame begins, and where the last one ends.
    starts: Vec<usize>,
    /// Where each frame has its packet id.
    ids: Vec<Option<usize>>,
    next: usize,
    /// The values, and where they stand in a frame.
    walk: Option<(Walk, Vec<Range<usize>>)>,
}

impl Ring {
    pub(crate) fn new(controller: &Controller, at_least_once: bool, step: Step) -> Self {
        let topic = controller.topic("telemetry");
        let (mut bytes, mut starts, mut ids) = (vec![], vec![0], vec![]);
        for turn in 0..TURNS {
            let payload = controller.telemetry(controller.calm(turn));
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
        let walk = step.wanders().then(|| {
            let walk = Walk::new(controller.number(), controller.kinds(), step);
            (walk, values_in(&bytes[..starts[1]]))
        });
        Self {
            bytes,
            starts,
            ids,
            next: 0,
            walk,
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
        if let Some((walk, values)) = &mut self.walk {
            for begin in &self.starts[from..to] {
                walk.go();
                let frame = &mut self.bytes[*begin..];
                for (value, digits) in values.iter().zip(walk.digits()) {
                    overwrite(&mut frame[value.clone()], digits);
                }
            }
        }
        self.next = to % TURNS;
        (to - from, self.starts[from]..self.starts[to])
    }

    /// The digits of values that wander, where they are.
    pub(crate) fn digits(&self) -> Option<impl Iterator<Item = u32>> {
        self.walk.as_ref().map(|(walk, _)| walk.digits())
    }

    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// The mean length of a frame.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.bytes.len() / TURNS
    }
}

/// Where the values stand in a frame: each follows a key, and no other number does.
fn values_in(frame: &[u8]) -> Vec<Range<usize>> {
    const KEY_ENDS: &[u8] = br#"":"#;
    let is_value = |at: &usize| frame[*at].is_ascii_digit() && frame[..*at].ends_with(KEY_ENDS);
    let begins = (KEY_ENDS.len()..frame.len()).filter(is_value);
    let length = |at: usize| frame[at..].iter().position(|b| *b == b'}').unwrap_or(0);
    begins.map(|at| at..at + length(at)).collect()
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
            step: Step::CALM,
            shape: Shape::Full,
        };
        let controller = Controller::new(0, &farms.account(0), 3, Shape::Full);
        let mut ring = Ring::new(&controller, true, Step::CALM);
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
                assert_eq!(
                    payload,
                    controller
                        .telemetry(controller.calm((seen - 1) % TURNS))
                        .as_bytes()
                );
            }
            assert!(bytes.is_empty());
        }
    }

    #[test]
    fn values_that_wander_are_in_the_frames() {
        let step = Step::parse("0.05").unwrap();
        let account = crate::farm::Account {
            farm: "f".to_owned(),
            mac: "m".to_owned(),
            secret: String::new(),
        };
        for shape in [Shape::Full, Shape::Short, Shape::Tasmota] {
            let controller = Controller::new(7, &account, 10, shape);
            wandering(&controller, step);
        }
    }

    fn wandering(controller: &Controller, step: Step) {
        let mut ring = Ring::new(controller, true, step);
        let mut walk = Walk::new(7, controller.kinds(), step);
        for _ in 0..20 {
            let (n, range) = ring.take(50, || 1);
            let mut bytes = ring.bytes(range);
            for _ in 0..n {
                let Some(frame::Packet::Publish { payload, .. }) = frame::take(&mut bytes).unwrap()
                else {
                    panic!()
                };
                walk.go();
                let expected = controller.telemetry(walk.digits());
                assert_eq!(std::str::from_utf8(payload).unwrap(), expected);
            }
        }
    }
}

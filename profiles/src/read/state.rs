//! What a payload says beside readings: what is so or not, and what is there.

use std::borrow::Cow;

use crate::compile::{AnnounceRule, StateRule};
use crate::node::{Found, Node};
use crate::work::Work;
use crate::{Announced, Unread};

/// Whether something is so, with the key that `*` took.
type State<'n> = (Option<Cow<'n, str>>, bool);

impl StateRule {
    /// What is so or not. Other words say nothing.
    pub(super) fn states<'n>(
        &self,
        root: &'n Node<'n>,
        work: &Work,
    ) -> Result<Vec<State<'n>>, Unread> {
        let mut found = Vec::new();
        root.find(&self.at, work, &mut found)?;
        work.spend(found.len() * (self.on.len() + self.off.len()))?;
        let is = |words: &[String], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        let states = found.into_iter().filter_map(|Found { node, taken }| {
            let word = node.word();
            let on = match () {
                () if is(&self.on, word) => true,
                () if is(&self.off, word) => false,
                () => return None,
            };
            Some((taken, on))
        });
        Ok(states.collect())
    }
}

impl AnnounceRule {
    pub(super) fn announced(
        &self,
        root: &Node<'_>,
        id: String,
        work: &Work,
    ) -> Result<Option<Announced>, Unread> {
        let word = root.at(&self.at.keys, work)?.map(Node::word);
        let of = |word: &str| {
            self.types
                .iter()
                .find(|(w, _)| w.eq_ignore_ascii_case(word))
        };
        let sensor_type = match word.map(of) {
            Some(Some((_, known))) => Some(*known),
            None if self.device => None,
            _ => return Ok(None),
        };
        Ok(Some(Announced { id, sensor_type }))
    }
}

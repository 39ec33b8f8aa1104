//! Texts that many documents share, each kept once: scopes, controllers, the names of devices, authors.

use crate::id::FarmId;
use crate::table::{Keyed, Table};

#[derive(Debug, Clone)]
struct Word {
    text: Box<str>,
    /// How many times documents name it; it goes with the last.
    uses: u32,
    /// The number of the device of this id; `NO_DEVICE` where no rule's action names it.
    device: u32,
}

const NO_DEVICE: u32 = u32::MAX;

impl Keyed for Word {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

/// The shared texts of a farm, under numbers.
#[derive(Debug, Clone)]
pub(crate) struct Interner {
    /// The farm itself is named by almost every scope.
    farm: FarmId,
    words: Table<Word>,
}

impl Interner {
    pub(crate) fn new(farm: &FarmId) -> Self {
        Self {
            farm: farm.clone(),
            words: Table::default(),
        }
    }

    pub(crate) const fn farm(&self) -> &FarmId {
        &self.farm
    }

    /// The number of the text, which is used once more.
    pub(crate) fn take(&mut self, text: &str) -> u32 {
        let ix = self.words.index(text).unwrap_or_else(|| {
            let word = Word {
                text: text.into(),
                uses: 0,
                device: NO_DEVICE,
            };
            self.words.put(word).0
        });
        if let Some(word) = self.words.get_mut(ix) {
            word.uses += 1;
        }
        ix
    }

    /// The text is used once less.
    pub(crate) fn release(&mut self, ix: u32) {
        let Some(word) = self.words.get_mut(ix) else {
            return;
        };
        word.uses -= 1;
        if word.uses == 0 {
            let text = word.text.clone();
            self.words.remove(&text);
        }
    }

    pub(crate) fn text(&self, ix: u32) -> &str {
        self.words.get(ix).map_or("", |w| &w.text)
    }

    /// The word is the id of the device of that number.
    pub(crate) fn name_device(&mut self, ix: u32, device: u32) {
        if let Some(word) = self.words.get_mut(ix) {
            word.device = device;
        }
    }

    /// The number of the device whose id the word is.
    pub(crate) fn device(&self, ix: u32) -> Option<u32> {
        let device = self.words.get(ix)?.device;
        (device != NO_DEVICE).then_some(device)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }
}

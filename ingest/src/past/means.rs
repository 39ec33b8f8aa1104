//! Minute means as a log, where the journal is no longer kept: the farm as it is set now, told what its sensors measured then.
//!
//! It is approximate. A mean is told at the end of its minute, in place of the readings that it is made of; what people did, what
//! controllers reported and how the farm was set then is not in it.

use std::vec::IntoIter;

use harit_engine::{
    Duration, Engine, FarmDocument, Input, InputKind, Measured, Quantity, SensorId, Timestamp,
};
use harit_farm::{Farm, Record};

use super::{Heard, Log, PastError, Stop, Watch};

/// Of which the means are.
pub(crate) const MINUTE: Duration = Duration::from_secs(60);
/// So much is read at a time.
const CHUNK: Duration = Duration::from_secs(86_400);

/// What sensors measured in the minutes that begin in a span: the minute, the sensor, the mean; in any order.
pub(crate) type Means = dyn FnMut(Timestamp, Timestamp) -> Result<Vec<(Timestamp, SensorId, Quantity)>, PastError>
    + Send;

/// A farm and the minute means after an instant.
pub(crate) struct MeansLog {
    farm: Farm,
    /// What else it is told, in the order of time: its days.
    others: IntoIter<Input>,
    read: Box<Means>,
    /// Up to where the means were read.
    read_to: Timestamp,
    /// What was read and is to come.
    next: std::iter::Peekable<IntoIter<Input>>,
    heard: Heard,
}

impl MeansLog {
    /// The farm of a document at an instant, before anything is measured.
    ///
    /// # Errors
    /// When the document makes no sense.
    pub(crate) fn new(
        document: &FarmDocument,
        others: Vec<Input>,
        from: Timestamp,
        read: Box<Means>,
    ) -> Result<Self, PastError> {
        Ok(Self {
            farm: Farm::new(Engine::new(document)?),
            others: others.into_iter(),
            read,
            read_to: from,
            next: Vec::new().into_iter().peekable(),
            heard: Heard::default(),
        })
    }

    /// Reads the next day; false where all was read up to an instant.
    fn fill(&mut self, to: Timestamp) -> Result<bool, PastError> {
        if self.read_to >= to {
            return Ok(false);
        }
        let (from, until) = (self.read_to, (self.read_to + CHUNK).min(to));
        let means = (self.read)(from, until)?;
        let told = means.into_iter().map(|(minute, sensor, mean)| Input {
            at: minute + MINUTE,
            kind: InputKind::Reading {
                sensor,
                value: Measured::exact(mean),
            },
        });
        let before = |input: &Input| input.at < until + MINUTE;
        let mut all: Vec<Input> = Vec::new();
        while let Some(other) = self.others.as_slice().first().filter(|i| before(i)) {
            all.push(other.clone());
            self.others.next();
        }
        all.extend(told);
        // Stable: days come before what is measured at the same instant.
        all.sort_by_key(|input| input.at);
        self.next = all.into_iter().peekable();
        self.read_to = until;
        Ok(true)
    }
}

impl Log for MeansLog {
    fn farm(&self) -> &Farm {
        &self.farm
    }

    fn is_approximate(&self) -> bool {
        true
    }

    fn follow(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        watch: &mut dyn Watch,
    ) -> Result<(), PastError> {
        let from = self.read_to;
        loop {
            while let Some(input) = self.next.next_if(|input| input.at <= to) {
                watch.before(&self.farm, input.at);
                self.heard.clear();
                self.farm
                    .apply(input.at, Record::Input(&input), &mut self.heard);
                if let Some(why) = self.farm.failed() {
                    return Err(PastError::Failed(why.to_owned()));
                }
                watch.after(&self.farm, &self.heard);
            }
            stop.check()?;
            if self.next.peek().is_some() || !self.fill(to)? {
                return Ok(());
            }
            stop.has_done(from, to, self.read_to);
        }
    }
}

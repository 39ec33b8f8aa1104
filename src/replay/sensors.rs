//! Which sensor of the engine an id of the log is, or a code of a log in columns.

use std::collections::HashMap;

use harit_engine::{Engine, SensorIx};

use crate::columnar::Batch;

/// How many ids are remembered; past this, unknown ids are looked up each time.
const MAX: usize = 2_000_000;

/// The numbers of the sensors, by id. No registry change can come in telemetry, so they are looked up once.
///
/// A log is mostly a round that repeats: after a sensor comes the one that came after it the last time. So that one is
/// compared first, and only where it is another is the id looked up.
#[derive(Default)]
pub(super) struct Sensors {
    known: Vec<Known>,
    by_id: HashMap<Box<[u8]>, usize>,
    last: usize,
}

struct Known {
    id: Box<[u8]>,
    ix: Option<SensorIx>,
    /// Which of the known came after this one.
    next: usize,
}

impl Sensors {
    /// The engine's sensor; `None` if it has none of that id.
    #[inline]
    pub(super) fn index(&mut self, engine: &Engine, id: &[u8]) -> Option<SensorIx> {
        if let Some(last) = self.known.get(self.last)
            && let Some(next) = self.known.get(last.next)
            && *next.id == *id
        {
            self.last = last.next;
            return next.ix;
        }
        self.look_up(engine, id)
    }

    #[cold]
    fn look_up(&mut self, engine: &Engine, id: &[u8]) -> Option<SensorIx> {
        let found = if let Some(found) = self.by_id.get(id) {
            *found
        } else {
            let ix = std::str::from_utf8(id)
                .ok()
                .and_then(|id| engine.sensor_index(id));
            if self.known.len() == MAX {
                return ix;
            }
            let new = self.known.len();
            self.known.push(Known {
                id: id.into(),
                ix,
                next: 0,
            });
            self.by_id.insert(id.into(), new);
            new
        };
        if let Some(last) = self.known.get_mut(self.last) {
            last.next = found;
        }
        self.last = found;
        self.known[found].ix
    }
}

/// The sensors of a row group by their codes.
#[derive(Default)]
pub(super) struct Coded {
    group: usize,
    registry_version: u64,
    all: Vec<(Box<[u8]>, Option<SensorIx>)>,
}

impl Coded {
    /// Looks up the names that are new in a batch, and all of them where the engine's sensors may be others by now.
    pub(super) fn learn(&mut self, engine: &Engine, batch: &mut Batch) {
        let (group, names) = batch.names();
        if group != self.group {
            self.group = group;
            self.all.clear();
        }
        let find = |id: &[u8]| {
            let id = std::str::from_utf8(id).ok()?;
            engine.sensor_index(id)
        };
        if engine.registry_version() != self.registry_version {
            self.registry_version = engine.registry_version();
            for (id, ix) in &mut self.all {
                *ix = find(id);
            }
        }
        self.all.extend(names.map(|id| {
            let ix = find(&id);
            (id, ix)
        }));
    }

    /// A sensor's id, and its number if the engine has it.
    #[inline]
    pub(super) fn get(&self, code: usize) -> Option<(&[u8], Option<SensorIx>)> {
        self.all.get(code).map(|(id, ix)| (&**id, *ix))
    }
}

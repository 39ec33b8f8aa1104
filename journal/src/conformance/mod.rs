//! What every journal does, as cases that run over any of them: a new one is one when [`run`] has nothing against it.
//!
//! A case opens the journal of a [`Place`], brings about what it is about, opens it again and looks.

mod cases;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Journal, JournalError};

/// Where a journal is stored. It outlives the journals that are opened on it, and bad things happen to it while none is open.
///
/// What is `None` cannot be brought about there; the cases that need it are left out.
pub trait Place {
    /// Opens the journal that is there, and makes an empty one at first. A second one may be opened beside it.
    ///
    /// # Errors
    /// As the journal says.
    fn open(&self) -> Result<Box<dyn Journal>, JournalError>;

    /// Changes what is stored of a batch.
    fn damage_batch(&self, seq: u64) -> Option<()>;

    /// Takes a batch away.
    fn lose_batch(&self, seq: u64) -> Option<()>;

    /// Changes what is stored of a snapshot.
    fn damage_snapshot(&self, seq: u64) -> Option<()>;

    /// Takes back that anything after batch `through` was acknowledged, as where the process died before it could be.
    fn acknowledge_only(&self, through: u64) -> Option<()>;

    /// Fills the storage but for what is kept back, or makes room again; also while a journal is open.
    fn fill(&self, full: bool) -> Option<()>;
}

/// Plays a case; `None` where it cannot be brought about.
type Case = fn(&dyn Place) -> Option<()>;

/// Runs every case on a place of its own, and returns the names of those that cannot be brought about there.
///
/// # Panics
/// When the journal does not do what one does; the message has the names of the cases.
pub fn run<P: Place>(mut place: impl FnMut() -> P) -> Vec<&'static str> {
    let (mut left_out, mut failed) = (Vec::new(), Vec::new());
    for (name, case) in cases::ALL {
        let place = place();
        match catch_unwind(AssertUnwindSafe(|| case(&place))) {
            Ok(Some(())) => {}
            Ok(None) => left_out.push(name),
            Err(_) => failed.push(name),
        }
    }
    assert!(
        failed.is_empty(),
        "not as a journal: {}; what was panicked with is above",
        failed.join("; ")
    );
    left_out
}

//! How much a user may ask for in a minute, by kind. Each kind has its own budget: looking never takes away acting, and
//! nothing else takes away stopping.

use std::time::Instant;

use crate::auth::{Limit, Throttle};
use crate::config::ApiConfig;
use crate::error::ApiError;
use crate::language::Text;

/// What a request does, as far as its budget goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Looks.
    Read,
    /// Changes documents, records, people.
    Change,
    /// Commands a device.
    Command,
    /// Stops a device, or gives it back to the rules.
    Stop,
}

impl Kind {
    /// Refuses a request of that kind; those of other kinds have budgets of their own.
    pub(super) const fn spent(self, retry_after_secs: u64) -> ApiError {
        let (code, text) = match self {
            Self::Read => ("too_many_reads", Text::TooManyReads),
            Self::Change => ("too_many_changes", Text::TooManyChanges),
            Self::Command => ("too_many_commands", Text::TooManyCommands),
            Self::Stop => ("too_many_stops", Text::TooManyStops),
        };
        ApiError::budget_spent(code, text, retry_after_secs)
    }
}

/// The budgets of all users.
#[derive(Debug)]
pub(super) struct Budgets {
    reads: Throttle,
    changes: Throttle,
    commands: Throttle,
    stops: Throttle,
}

impl Budgets {
    pub(super) fn new(config: &ApiConfig) -> Self {
        let a_minute = |n: u32| Throttle::new(Limit::per_minute(n));
        Self {
            reads: a_minute(config.reads_per_user),
            changes: a_minute(config.changes_per_user),
            commands: a_minute(config.commands_per_user),
            stops: a_minute(config.stops_per_user),
        }
    }

    /// Takes one request of that kind from the user's budget.
    pub(super) fn take(&self, kind: Kind, user_id: &str, now: Instant) -> Result<(), ApiError> {
        let budget = match kind {
            Kind::Read => &self.reads,
            Kind::Change => &self.changes,
            Kind::Command => &self.commands,
            Kind::Stop => &self.stops,
        };
        budget.take(user_id, now).map_err(|wait| kind.spent(wait))
    }
}

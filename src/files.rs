//! How many files and connections the process may have open at one time.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open besides connections: databases, their logs, the listeners, files of the console.
const OTHERS: usize = 512;

/// Fewer files may be open than the connections need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{connections} connections need {needed} open files, and {most} may be open: raise the hard limit (ulimit -Hn {needed})"
)]
pub(crate) struct TooFew {
    connections: usize,
    needed: u64,
    most: u64,
}

/// Raises the limit to what the system allows: the 1,024 that most systems give a process at first are fewer than the
/// connections that are let in, and then nobody else gets one, people with a STOP in their hands included.
///
/// # Errors
/// When that is too few for so many connections.
pub(crate) fn allow(connections: usize) -> Result<(), TooFew> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Where it stays as it is, it may suffice.
    let _ = setrlimit(Resource::Nofile, raised);
    let needed = u64::try_from(connections + OTHERS).unwrap_or(u64::MAX);
    match getrlimit(Resource::Nofile).current {
        Some(most) if most < needed => Err(TooFew {
            connections,
            needed,
            most,
        }),
        _ => Ok(()),
    }
}

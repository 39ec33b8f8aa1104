//! How many files and connections the process may have open at one time.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open besides connections: databases, their logs, the listeners, files of the console.
const OTHERS: usize = 512;

/// Raises the limit to what the system allows: the 1,024 that most systems give a process at first are fewer than the
/// connections that are let in, and then nobody else gets one, people with a STOP in their hands included.
pub(super) fn allow(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let needed = u64::try_from(connections + OTHERS).unwrap_or(u64::MAX);
    if let Some(most) = getrlimit(Resource::Nofile).current
        && most < needed
    {
        tracing::warn!(
            most,
            needed,
            "fewer files may be open than all connections need (ulimit -n)"
        );
    }
}

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
    suffices(getrlimit(Resource::Nofile).current, connections)
}

/// The same of a process that runs, which has raised its limit already; none where the system does not say.
pub(crate) fn of(pid: u32, connections: usize) -> Option<Result<(), TooFew>> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|l| l.strip_prefix("Max open files"))?;
    // a word, "unlimited", is no number
    let most = line.split_whitespace().next()?.parse().ok();
    Some(suffices(most, connections))
}

fn suffices(most: Option<u64>, connections: usize) -> Result<(), TooFew> {
    let needed = u64::try_from(connections + OTHERS).unwrap_or(u64::MAX);
    match most {
        Some(most) if most < needed => Err(TooFew {
            connections,
            needed,
            most,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_has_a_limit() {
        let own = std::process::id();
        assert_eq!(of(own, 1), Some(Ok(())));
        assert!(
            of(own, usize::MAX >> 1).unwrap().is_err()
                || getrlimit(Resource::Nofile).current.is_none()
        );
        assert_eq!(of(u32::MAX, 1), None);
        assert!(suffices(Some(600), 100).is_err() && suffices(Some(612), 100).is_ok());
        assert!(suffices(None, usize::MAX >> 1).is_ok());
    }
}

//! Passwords: argon2id, away from the async threads, few at a time. Each hash takes 19 MiB and tens of milliseconds of a
//! core, so a flood of sign-ins must meet a short queue and not the machine that also controls pumps.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// Hashes that run at one time.
const AT_ONCE: usize = 1;
/// Sign-ins that wait for one; further ones are turned away.
const MAX_WAITING: usize = 20;
/// The longest password, in bytes.
pub(crate) const MAX_PASSWORD_BYTES: usize = 1_024;

/// Checks passwords, few at a time.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    running: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// Too many sign-ins at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub(crate) struct Overloaded;

/// The password could not be hashed.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the password could not be hashed")]
pub(crate) struct Unhashable;

/// Counts one that waits, also when its request is dropped meanwhile.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Passwords {
    pub(crate) fn new() -> Self {
        // now, so that the first unknown account does not take twice as long as the rest
        let _ = nobodys_hash();
        Self {
            running: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::default(),
        }
    }

    /// Hashes a password without waiting for others: for the composition root, which is nobody's flood.
    pub(crate) async fn hash(password: &str) -> Result<String, Unhashable> {
        let password = password.to_owned();
        let hashed = tokio::task::spawn_blocking(move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|h| h.to_string())
        });
        hashed
            .await
            .map_err(|_| Unhashable)?
            .map_err(|_| Unhashable)
    }

    /// Hashes a new password in the same queue as those that are checked.
    pub(crate) async fn hash_in_turn(&self, password: &str) -> Result<String, Overloaded> {
        let password = password.to_owned();
        self.in_turn(move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|h| h.to_string())
        })
        .await?
        .map_err(|_| Overloaded)
    }

    /// Whether the password is the one of the hash. Without a hash (no such account, or one without a password) it does the
    /// same work and says no, so that the time it takes tells nothing.
    pub(crate) async fn verify(
        &self,
        hash: Option<&str>,
        password: &str,
    ) -> Result<bool, Overloaded> {
        let (hash, password) = (hash.map(str::to_owned), password.to_owned());
        self.in_turn(move || {
            let right = matches(hash.as_deref().unwrap_or_else(|| nobodys_hash()), &password);
            right && hash.is_some()
        })
        .await
    }

    async fn in_turn<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Overloaded> {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= MAX_WAITING + AT_ONCE {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            metrics::counter!("harit_sign_ins_turned_away_total").increment(1);
            return Err(Overloaded);
        }
        let _waiting = Waiting(self.waiting.clone());
        let permit = self
            .running
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| Overloaded)?;
        let done = tokio::task::spawn_blocking(move || {
            // the permit ends with the work, not with the request that asked for it
            let _permit = permit;
            work()
        });
        done.await.map_err(|_| Overloaded)
    }
}

fn matches(hash: &str, password: &str) -> bool {
    password.len() <= MAX_PASSWORD_BYTES
        && PasswordHash::new(hash).is_ok_and(|h| {
            Argon2::default()
                .verify_password(password.as_bytes(), &h)
                .is_ok()
        })
}

/// A hash of the same cost as any other, of a password that nobody has.
fn nobodys_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let mut password = [0; 32];
        // with nothing random at hand the password is weak, but `verify` says no for it whatever it is
        let _ = getrandom::fill(&mut password);
        Argon2::default()
            .hash_password(&password)
            .map(|h| h.to_string())
            .unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_a_real_hash_passes() {
        let passwords = Passwords::new();
        let hash = Passwords::hash("polyhouse-demo").await.expect("hashes");
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(
            passwords
                .verify(Some(&hash), "polyhouse-demo")
                .await
                .expect("checked")
        );
        assert!(
            !passwords
                .verify(Some(&hash), "polyhouse-demo ")
                .await
                .expect("checked")
        );
        assert!(
            !passwords
                .verify(None, "polyhouse-demo")
                .await
                .expect("checked")
        );
        assert!(
            !passwords
                .verify(Some("not a hash"), "polyhouse-demo")
                .await
                .expect("checked")
        );
    }

    #[tokio::test]
    async fn a_flood_is_turned_away_and_leaves_nothing_behind() {
        let passwords = Passwords::new();
        let all: Vec<_> = (0..MAX_WAITING + AT_ONCE + 5)
            .map(|_| {
                let p = passwords.clone();
                tokio::spawn(async move { p.verify(None, "x").await })
            })
            .collect();
        let mut turned_away = 0;
        for one in all {
            turned_away += usize::from(one.await.expect("runs").is_err());
        }
        assert_eq!(turned_away, 5);
        assert_eq!(passwords.waiting.load(Ordering::Acquire), 0);
    }
}

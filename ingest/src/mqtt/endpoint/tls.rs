//! The endpoint's TLS as it is now. Its files are read again when they change; what cannot be used is told, and what was there
//! before stays.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::server::NoServerSessionStorage;
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::SingleCertAndKey;
use tokio_rustls::TlsAcceptor;

use super::files::{Own, TlsEnd, TlsError, TlsFiles, Whose, bad, provider};

/// How long before the end of a certificate the log warns of it.
pub(super) const WARN_BEFORE_SEC: u64 = 14 * DAY_SEC;
/// How often it does.
const DAY_SEC: u64 = 86_400;

/// What new connections get.
pub(super) struct Current {
    pub(super) acceptor: TlsAcceptor,
    pub(super) verifier: Option<Arc<dyn ClientCertVerifier>>,
}

impl Current {
    fn new(own: &Own, whose: Option<&Whose>) -> Result<Self, rustls::Error> {
        // TLS 1.2 and 1.3.
        let builder = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()?;
        let builder = match whose {
            Some(whose) => builder.with_client_cert_verifier(Arc::clone(&whose.verifier)),
            None => builder.with_no_client_auth(),
        };
        let key = SingleCertAndKey::from(Arc::clone(&own.key));
        let mut config = builder.with_cert_resolver(Arc::new(key));
        if whose.is_some() {
            // Who resumes a session is not asked for its certificate again, which may be revoked by then.
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            verifier: whose.map(|whose| Arc::clone(&whose.verifier)),
        })
    }
}

/// The endpoint's TLS as it is now.
pub(super) struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<Current>>,
    held: Mutex<Held>,
}

struct Held {
    own: Own,
    whose: Option<Whose>,
    /// What the files said when they were last read, taken or not.
    seen: [u64; 2],
    /// When the log last warned of each end, in seconds of Unix time.
    warned: HashMap<&'static str, u64>,
}

impl Tls {
    pub(super) fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let texts = files.read_own();
        let mut seen = [print(&texts), 0];
        let own = files.own(&texts?)?;
        let whose = match &files.clients {
            Some(clients) => {
                let texts = clients.read();
                seen[1] = print(&texts);
                Some(clients.whose(&texts?)?)
            }
            None => None,
        };
        let current = Current::new(&own, whose.as_ref()).map_err(|e| bad(&files.certificate, e))?;
        let tls = Self {
            files,
            current: RwLock::new(Arc::new(current)),
            held: Mutex::new(Held {
                own,
                whose,
                seen,
                warned: HashMap::new(),
            }),
        };
        tls.warn(now());
        Ok(tls)
    }

    pub(super) fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether who has no certificate is refused.
    pub(super) fn requires(&self) -> bool {
        self.files.clients.as_ref().is_some_and(|c| c.required)
    }

    /// Reads what has changed, or all; whether other clients' certificates are taken now than before. Blocks.
    pub(super) fn reload(&self, anyway: bool, now: u64) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = &mut *held;
        let texts = self.files.read_own();
        let own = changed(&mut held.seen[0], &texts, anyway).then(|| {
            let own = self.files.own(&texts?)?;
            in_its_time(&own.end, now)?;
            if own.from.is_some_and(|from| from > now) {
                // It will be: then it is taken.
                held.seen[0] = 0;
                return Err(bad(&own.end.file, "is not valid yet"));
            }
            Ok(own)
        });
        let whose = self.files.clients.as_ref().and_then(|clients| {
            let texts = clients.read();
            changed(&mut held.seen[1], &texts, anyway).then(|| {
                let whose = clients.whose(&texts?)?;
                whose
                    .ends
                    .iter()
                    .try_for_each(|end| in_its_time(end, now))?;
                Ok(whose)
            })
        });
        let (own, whose) = (taken(own), taken(whose));
        let others = whose.is_some();
        if own.is_none() && !others {
            return false;
        }
        held.warned.clear();
        if let Some(own) = own {
            tracing::info!(file = %own.end.file.display(), days_left = days(own.end.at, now), "tls: a new certificate");
            held.own = own;
        }
        if let Some(whose) = whose {
            tracing::info!("tls: clients' certificates are judged anew");
            held.whose = Some(whose);
        }
        match Current::new(&held.own, held.whose.as_ref()) {
            Ok(current) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(current);
            }
            // Both were looked at; rustls asks for nothing else.
            Err(error) => tracing::error!(%error, "tls: the files do not go together"),
        }
        others
    }

    /// Tells the metrics until when the files are good, and the log once a day when that is soon.
    pub(super) fn warn(&self, now: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let Held {
            own, whose, warned, ..
        } = &mut *held;
        let ends = whose.iter().flat_map(|whose| &whose.ends);
        for end in [&own.end].into_iter().chain(ends) {
            let at = u32::try_from(end.at).unwrap_or(u32::MAX);
            metrics::gauge!("harit_tls_certificate_expiry_timestamp_seconds", "file" => end.what)
                .set(f64::from(at));
            if end.at > now + WARN_BEFORE_SEC || !due(warned, end.what, now) {
                continue;
            }
            let (file, days_left) = (end.file.display(), days(end.at, now));
            if end.at <= now {
                tracing::error!(what = end.what, %file, "tls: it is over: clients that look refuse it, or are refused");
            } else {
                tracing::warn!(what = end.what, %file, days_left, "tls: it ends soon");
            }
        }
    }
}

/// Whether something is to be told now, that is told once a day.
pub(super) fn due<K: Eq + Hash>(warned: &mut HashMap<K, u64>, what: K, now: u64) -> bool {
    let due = warned.get(&what).is_none_or(|at| now >= at + DAY_SEC);
    if due {
        warned.insert(what, now);
    }
    due
}

/// Remembers what was read, and tells whether it is something else than before.
fn changed(seen: &mut u64, texts: &Result<Vec<Vec<u8>>, TlsError>, anyway: bool) -> bool {
    let before = std::mem::replace(seen, print(texts));
    anyway || before != *seen
}

fn print(texts: &Result<Vec<Vec<u8>>, TlsError>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match texts {
        Ok(texts) => texts.hash(&mut hasher),
        Err(error) => error.to_string().hash(&mut hasher),
    }
    hasher.finish()
}

fn in_its_time(end: &TlsEnd, now: u64) -> Result<(), TlsError> {
    if end.at <= now {
        return Err(bad(&end.file, "is over already"));
    }
    Ok(())
}

/// What was read, if it can be used; the log says why it cannot.
fn taken<T>(read: Option<Result<T, TlsError>>) -> Option<T> {
    match read? {
        Ok(new) => Some(new),
        Err(error) => {
            tracing::error!(%error, "tls: what was there before stays in use");
            None
        }
    }
}

/// Whole days that are left.
pub(super) fn days(end: u64, now: u64) -> u64 {
    end.saturating_sub(now) / DAY_SEC
}

/// The wall clock, in seconds of Unix time.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_once_a_day() {
        let mut warned = HashMap::new();
        let told = |what, at, warned: &mut HashMap<_, _>| due(warned, what, at);
        assert!(told("certificate", 100, &mut warned));
        assert!(!told("certificate", 99 + DAY_SEC, &mut warned));
        assert!(told("client_ca", 100, &mut warned), "another");
        assert!(told("certificate", 100 + DAY_SEC, &mut warned));
        assert_eq!((days(100, 200), days(2 * DAY_SEC, 1)), (0, 1));
    }
}

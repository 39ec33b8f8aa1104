//! Certificates by which the server is known, to controllers and to brokers of others: whether each can be used with its key, and
//! for how long; and whether this machine has those of authorities, by which the server knows whom it asks.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use x509_cert::Certificate;
use x509_cert::der::Decode;

use super::finding::Findings;
use crate::config::Config;

const CHECK: &str = "certificate";
/// Certificates are renewed a month before their end; who is later has forgotten it.
const SOON: Duration = Duration::from_hours(14 * 24);
const DAY: u64 = 24 * 60 * 60;

/// Looks at both files, which `setting` names, as whoever uses them would.
pub(super) fn look(
    setting: &str,
    certificate: &Path,
    key: &Path,
    now: SystemTime,
    all: &mut Findings,
) {
    let shown = certificate.display();
    let chain = match chain(certificate) {
        Ok(chain) => chain,
        Err(why) => {
            let to_do = format!(
                "{setting}: a PEM file, the server's own certificate first, readable by the server's user"
            );
            return all.fault(CHECK, format!("{shown}: {why}"), to_do);
        }
    };
    let first = chain.first().cloned();
    let fits = PrivateKeyDer::from_pem_file(key)
        .map_err(|e| e.to_string())
        .and_then(|key| {
            let provider = rustls::crypto::ring::default_provider();
            CertifiedKey::from_der(chain, key, &provider).map_err(|e| e.to_string())
        });
    if let Err(why) = fits {
        let said = format!("{} does not go with {shown}: {why}", key.display());
        let to_do =
            "its key is the PEM file of this certificate's key, readable by the server's user";
        return all.fault(CHECK, said, to_do);
    }
    let parsed = first.and_then(|der| Certificate::from_der(&der).ok());
    let Some(validity) = parsed.map(|c| *c.tbs_certificate().validity()) else {
        let to_do = "have another one issued";
        return all.fault(CHECK, format!("{shown} is no X.509 certificate"), to_do);
    };
    let (begins, ends) = (
        validity.not_before.to_system_time(),
        validity.not_after.to_system_time(),
    );
    let days = |later: SystemTime, sooner: SystemTime| {
        later.duration_since(sooner).unwrap_or_default().as_secs() / DAY
    };
    let renew = "nobody connects with it: renew it";
    if now < begins {
        let said = format!(
            "{shown} is valid in {} days at the soonest",
            days(begins, now) + 1
        );
        all.fault(CHECK, said, "is the clock right? Else use an earlier one");
    } else if now > ends {
        let said = format!("{shown} ended {} days ago", days(now, ends));
        all.fault(CHECK, said, renew);
    } else if now + SOON > ends {
        let said = format!("{shown} ends in {} days", days(ends, now));
        all.warning(CHECK, said, "renew it");
    } else {
        all.ok(
            CHECK,
            format!("{shown} is valid for {} days", days(ends, now)),
        );
    }
}

/// Whether who is asked by https can be known.
pub(super) fn authorities(config: &Config, all: &mut Findings) {
    const CHECK: &str = "authorities";
    let found = rustls_native_certs::load_native_certs().certs.len();
    if found > 0 {
        return all.ok(CHECK, format!("{found} certificates of authorities"));
    }
    let said = "this machine has no certificates of authorities: nobody is trusted by https";
    let to_do = "apt install ca-certificates";
    if config.weather.url.is_empty() {
        all.warning(CHECK, said, to_do);
    } else {
        all.fault(CHECK, said, format!("{to_do}; or weather.url = \"\""));
    }
}

fn chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).map_err(|e| e.to_string())?;
    let chain: Vec<_> = read.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    if chain.is_empty() {
        return Err("no certificate in it".to_owned());
    }
    Ok(chain)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::finding::Verdict;
    use super::*;

    /// A certificate of openssl, valid for so many days from now.
    fn made(dir: &Path, name: &str, days: u32) {
        let made = Command::new("openssl")
            .current_dir(dir)
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
            ])
            .args(["-nodes", "-subj", "/CN=farm", "-days", &days.to_string()])
            .args([
                "-keyout",
                &format!("{name}.key"),
                "-out",
                &format!("{name}.pem"),
            ])
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
    }

    #[test]
    fn it_is_told_before_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        made(dir.path(), "own", 90);
        made(dir.path(), "other", 90);
        std::fs::write(dir.path().join("empty.pem"), "").unwrap();
        let look = |certificate: &str, key: &str, day: i64| {
            let shift = Duration::from_secs(day.unsigned_abs() * DAY);
            let now = if day < 0 {
                SystemTime::now() - shift
            } else {
                SystemTime::now() + shift
            };
            let mut all = Findings::default();
            let path = |name: &str| dir.path().join(name);
            super::look(
                "mqtt.tls_certificate",
                &path(certificate),
                &path(key),
                now,
                &mut all,
            );
            (all.verdict(), all.text())
        };
        let (verdict, said) = look("own.pem", "own.key", 0);
        assert_eq!(verdict, Verdict::Ok, "{said}");
        assert!(said.contains("valid for 89 days"), "{said}");
        let (verdict, said) = look("own.pem", "own.key", 80);
        assert_eq!(verdict, Verdict::Warning);
        assert!(said.contains("ends in 9 days"), "{said}");
        for (certificate, key, day, part) in [
            ("own.pem", "own.key", 95, "ended 5 days ago"),
            ("own.pem", "own.key", -3, "is valid in 3 days"),
            ("own.pem", "other.key", 0, "does not go with"),
            ("own.pem", "none.key", 0, "does not go with"),
            ("none.pem", "own.key", 0, "none.pem"),
            ("empty.pem", "own.key", 0, "no certificate in it"),
        ] {
            let (verdict, said) = look(certificate, key, day);
            assert_eq!(verdict, Verdict::Fault, "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}

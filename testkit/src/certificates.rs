//! Certificates made by the test itself: a CA, what it signs, and what it revokes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams,
    SerialNumber, date_time_ymd,
};

/// A day, in seconds.
pub const DAY: i64 = 86_400;

/// Who signs certificates.
#[derive(Debug)]
pub struct Ca {
    issuer: CertifiedIssuer<'static, KeyPair>,
    serials: AtomicU64,
}

/// A certificate with its key.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The certificate, in PEM.
    pub pem: String,
    /// Its key, in PEM.
    pub key: String,
    serial: u64,
}

impl Signed {
    /// One that somebody else made.
    #[must_use]
    pub fn given(pem: String, key: String) -> Self {
        let serial = 0;
        Self { pem, key, serial }
    }

    /// Writes both into a folder, as NAME.pem and NAME.key.
    #[must_use]
    pub fn write(&self, dir: &Path, name: &str) -> (PathBuf, PathBuf) {
        let (pem, key) = (
            dir.join(format!("{name}.pem")),
            dir.join(format!("{name}.key")),
        );
        std::fs::write(&pem, &self.pem).unwrap();
        std::fs::write(&key, &self.key).unwrap();
        (pem, key)
    }
}

/// That many seconds from now. A macro, for its type is another crate's.
macro_rules! in_sec {
    ($from_now:expr) => {{
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let at = now
            .unwrap()
            .as_secs()
            .checked_add_signed($from_now)
            .unwrap();
        date_time_ymd(1970, 1, 1) + Duration::from_secs(at)
    }};
}

fn params(name: &str, dns: &[&str], from: i64, until: i64) -> CertificateParams {
    let dns: Vec<String> = dns.iter().map(|&n| n.to_owned()).collect();
    let mut params = CertificateParams::new(dns).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    if !name.is_empty() {
        params.distinguished_name.push(DnType::CommonName, name);
    }
    (params.not_before, params.not_after) = (in_sec!(from), in_sec!(until));
    params.use_authority_key_identifier_extension = true;
    params
}

impl Ca {
    /// One that is good for ten years.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::until(name, 3_650 * DAY)
    }

    /// One that ends in so many seconds.
    #[must_use]
    pub fn until(name: &str, until: i64) -> Self {
        let mut params = params(name, &[], -4_000 * DAY, until);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().unwrap();
        Self {
            issuer: CertifiedIssuer::self_signed(params, key).unwrap(),
            serials: AtomicU64::new(1),
        }
    }

    /// Its own certificate, in PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A server's certificate for localhost, good for a year.
    #[must_use]
    pub fn server(&self) -> Signed {
        self.server_between(-DAY, 365 * DAY)
    }

    /// One that is good from so many seconds from now until so many.
    #[must_use]
    pub fn server_between(&self, from: i64, until: i64) -> Signed {
        let params = params("localhost", &["localhost", "127.0.0.1"], from, until);
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A client's with that common name, good for a year.
    #[must_use]
    pub fn client(&self, name: &str) -> Signed {
        self.client_between(name, &[], -DAY, 365 * DAY)
    }

    /// A client's with further DNS names, good from so many seconds from now until so many.
    #[must_use]
    pub fn client_between(&self, name: &str, dns: &[&str], from: i64, until: i64) -> Signed {
        let params = params(name, dns, from, until);
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, mut params: CertificateParams, usage: ExtendedKeyUsagePurpose) -> Signed {
        let serial = self.serials.fetch_add(1, Ordering::Relaxed);
        params.serial_number = Some(number(serial));
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        Signed {
            pem: params.signed_by(&key, &self.issuer).unwrap().pem(),
            key: key.serialize_pem(),
            serial,
        }
    }

    /// Its list of what is revoked, in PEM; the next is due in so many seconds.
    #[must_use]
    pub fn revoke(&self, revoked: &[&Signed], next: i64) -> String {
        let revoked = revoked.iter().map(|signed| RevokedCertParams {
            serial_number: number(signed.serial),
            revocation_time: in_sec!(-DAY),
            reason_code: None,
            invalidity_date: None,
        });
        let params = CertificateRevocationListParams {
            this_update: in_sec!(-2 * DAY),
            next_update: in_sec!(next),
            crl_number: number(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        params.signed_by(&self.issuer).unwrap().pem().unwrap()
    }
}

fn number(serial: u64) -> SerialNumber {
    SerialNumber::from_slice(&(0x1000_0000 + serial).to_be_bytes()[4..])
}

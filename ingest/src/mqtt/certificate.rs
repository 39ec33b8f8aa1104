//! What a certificate says: whom it names, and from when until when it is valid. Whether it is to be believed is decided
//! elsewhere, and before.

use harit_protocol::Mac;
use rustls::pki_types::CertificateDer;
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{self, Decode as _};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::{DirectoryString, GeneralName};
use x509_cert::time::Time;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Why a certificate names no controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum Nameless {
    #[error("it cannot be read")]
    Unreadable,
    #[error("neither its common name nor a DNS name in it is a MAC")]
    NoMac,
    #[error("it names more than one MAC")]
    Several,
}

/// The controller that a certificate names: the one MAC among the common names of its subject and the DNS names of its
/// subjectAltName, in any form that [`Mac::parse`] reads. Other names say nothing.
///
/// # Errors
/// When there is no MAC, or there are two.
pub(super) fn controller(certificate: &CertificateDer<'_>) -> Result<Mac, Nameless> {
    let names = names(certificate).map_err(|_| Nameless::Unreadable)?;
    let mut macs: Vec<Mac> = names.iter().filter_map(|n| Mac::parse(n).ok()).collect();
    macs.dedup();
    match macs[..] {
        [mac] => Ok(mac),
        [] => Err(Nameless::NoMac),
        _ => Err(Nameless::Several),
    }
}

fn names(certificate: &CertificateDer<'_>) -> der::Result<Vec<String>> {
    let certificate = Certificate::from_der(certificate)?;
    let said = certificate.tbs_certificate();
    let mut names = Vec::new();
    for part in said.subject().iter().filter(|p| p.oid == COMMON_NAME) {
        names.push(DirectoryString::try_from(&part.value)?.value().into_owned());
    }
    if let Some((_, others)) = said.get_extension::<SubjectAltName>()? {
        names.extend(others.0.iter().filter_map(|name| match name {
            GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
            _ => None,
        }));
    }
    Ok(names)
}

/// From when until when a certificate is valid, in seconds of Unix time.
pub(super) fn validity(certificate: &CertificateDer<'_>) -> der::Result<(u64, u64)> {
    let certificate = Certificate::from_der(certificate)?;
    let validity = certificate.tbs_certificate().validity();
    Ok((seconds(validity.not_before), seconds(validity.not_after)))
}

/// When the next of a revocation list is due, in seconds of Unix time, if it says so.
pub(super) fn next_update(crl: &[u8]) -> der::Result<Option<u64>> {
    let list: CertificateList = CertificateList::from_der(crl)?;
    Ok(list.tbs_cert_list.next_update.map(seconds))
}

fn seconds(time: Time) -> u64 {
    time.to_unix_duration().as_secs()
}

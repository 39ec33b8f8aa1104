//! The files of the endpoint's TLS: its certificate, and whose certificates it takes for controllers'. What they say, and until
//! when they are good.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::CertifiedKey;
use thiserror::Error;

use super::verifier::Noting;
use crate::mqtt::certificate::{next_update, validity};

/// The files for TLS, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, the endpoint's own first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Whose certificates are taken; `None`: nobody is asked for one.
    pub clients: Option<ClientFiles>,
}

/// Whose certificates controllers may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFiles {
    /// Who signs them: one or several certificates.
    pub ca: PathBuf,
    /// Which of them are revoked: a list of each CA, and of each between it and a controller.
    pub crl: Option<PathBuf>,
    /// Whether who has none is refused at the handshake.
    pub required: bool,
}

/// A file that is no longer good after a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsEnd {
    /// Which it is: `certificate`, `client_ca` or `client_crl`.
    pub what: &'static str,
    /// Where it is.
    pub file: PathBuf,
    /// When it ends, in seconds of Unix time.
    pub at: u64,
}

/// Files for TLS that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}: {why}", file.display())]
pub struct TlsError {
    file: PathBuf,
    why: String,
}

pub(super) fn bad(file: &Path, why: impl ToString) -> TlsError {
    let (file, why) = (file.to_owned(), why.to_string());
    TlsError { file, why }
}

impl TlsFiles {
    /// Reads the files as the endpoint does, and says until when they are good.
    ///
    /// # Errors
    /// The first file that cannot be read, is not what it should be, or does not go with the others.
    pub fn ends(&self) -> Result<Vec<TlsEnd>, TlsError> {
        let mut ends = vec![self.own(&self.read_own()?)?.end];
        if let Some(clients) = &self.clients {
            ends.extend(clients.whose(&clients.read()?)?.ends);
        }
        Ok(ends)
    }

    pub(super) fn read_own(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        read(&[&self.certificate, &self.key])
    }

    pub(super) fn own(&self, texts: &[Vec<u8>]) -> Result<Own, TlsError> {
        let [certificate, key] = texts else {
            return Err(bad(&self.certificate, "was not read"));
        };
        let file = &self.certificate;
        let chain: Vec<CertificateDer<'static>> = all(file, certificate, "certificate")?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|e| bad(&self.key, e))?;
        let spans = chain.iter().map(validity).collect::<Result<Vec<_>, _>>();
        let spans = spans.map_err(|e| bad(file, e))?;
        let key = CertifiedKey::from_der(chain, key, &provider()).map_err(|e| bad(file, e))?;
        let at = spans.iter().map(|(_, to)| *to).min().unwrap_or_default();
        Ok(Own {
            key: Arc::new(key),
            from: spans.iter().map(|(from, _)| *from).max(),
            end: TlsEnd {
                what: "certificate",
                file: file.clone(),
                at,
            },
        })
    }
}

impl ClientFiles {
    pub(super) fn read(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        let files = [Some(&self.ca), self.crl.as_ref()];
        read(&files.into_iter().flatten().collect::<Vec<_>>())
    }

    pub(super) fn whose(&self, texts: &[Vec<u8>]) -> Result<Whose, TlsError> {
        let cas: Vec<CertificateDer<'static>> = match texts.first() {
            Some(text) => all(&self.ca, text, "certificate")?,
            None => return Err(bad(&self.ca, "was not read")),
        };
        let mut ends = Vec::new();
        let mut roots = rustls::RootCertStore::empty();
        for ca in cas {
            ends.push(validity(&ca).map_err(|e| bad(&self.ca, e))?.1);
            roots.add(ca).map_err(|e| bad(&self.ca, e))?;
        }
        let mut ends = vec![TlsEnd {
            what: "client_ca",
            file: self.ca.clone(),
            // One that took another's place may stand beside it: what counts is when the last one ends.
            at: ends.into_iter().max().unwrap_or_default(),
        }];
        let mut builder =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(provider()));
        if let Some(file) = &self.crl {
            let Some(text) = texts.get(1) else {
                return Err(bad(file, "was not read"));
            };
            let lists: Vec<CertificateRevocationListDer<'static>> =
                all(file, text, "revocation list")?;
            let mut due = u64::MAX;
            for list in &lists {
                let next = next_update(list).map_err(|e| bad(file, e))?;
                due = due.min(next.ok_or_else(|| bad(file, "does not say when the next is due"))?);
            }
            ends.push(TlsEnd {
                what: "client_crl",
                file: file.clone(),
                at: due,
            });
            builder = builder.with_crls(lists).enforce_revocation_expiration();
        }
        if !self.required {
            builder = builder.allow_unauthenticated();
        }
        let verifier = builder.build().map_err(|e| bad(&self.ca, e))?;
        let verifier = Arc::new(Noting(verifier));
        Ok(Whose { verifier, ends })
    }
}

/// The certificate that the endpoint shows.
pub(super) struct Own {
    pub(super) key: Arc<CertifiedKey>,
    pub(super) from: Option<u64>,
    pub(super) end: TlsEnd,
}

/// Whose certificates it takes.
pub(super) struct Whose {
    pub(super) verifier: Arc<dyn ClientCertVerifier>,
    pub(super) ends: Vec<TlsEnd>,
}

pub(super) fn provider() -> CryptoProvider {
    rustls::crypto::ring::default_provider()
}

fn read(files: &[&PathBuf]) -> Result<Vec<Vec<u8>>, TlsError> {
    let one = |file: &&PathBuf| std::fs::read(file).map_err(|e| bad(file, e));
    files.iter().map(one).collect()
}

/// All of a kind that a PEM file has, at least one.
fn all<T: PemObject>(file: &Path, text: &[u8], what: &str) -> Result<Vec<T>, TlsError> {
    let found: Result<Vec<T>, _> = T::pem_slice_iter(text).collect();
    let found = found.map_err(|e| bad(file, e))?;
    if found.is_empty() {
        return Err(bad(file, format!("has no {what}")));
    }
    Ok(found)
}

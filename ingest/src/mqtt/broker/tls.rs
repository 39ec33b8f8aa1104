//! TLS to a broker: whom it believes, and who Harit shows that it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::BrokerError;

/// The files for TLS, in PEM.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BrokerTls {
    /// Who signs the broker's certificate. None: whom this machine trusts.
    pub ca: Option<PathBuf>,
    /// A certificate and its key that show who Harit is.
    pub client: Option<(PathBuf, PathBuf)>,
}

fn bad(file: &Path, why: impl ToString) -> BrokerError {
    BrokerError::Tls(file.display().to_string(), why.to_string())
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, BrokerError> {
    let all = CertificateDer::pem_file_iter(file).map_err(|e| bad(file, e))?;
    let all: Vec<_> = all.collect::<Result<_, _>>().map_err(|e| bad(file, e))?;
    if all.is_empty() {
        return Err(bad(file, "has no certificate"));
    }
    Ok(all)
}

/// Reads the files.
pub(super) fn client(files: &BrokerTls) -> Result<Arc<ClientConfig>, BrokerError> {
    let mut roots = RootCertStore::empty();
    match &files.ca {
        Some(file) => {
            for certificate in certificates(file)? {
                roots.add(certificate).map_err(|e| bad(file, e))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                let machine = Path::new("the certificates of this machine");
                return Err(bad(machine, "none is there: set ca"));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| BrokerError::Tls("TLS".to_owned(), e.to_string()))?
        .with_root_certificates(roots);
    let config = match &files.client {
        Some((certificate, key)) => {
            let chain = certificates(certificate)?;
            let private = PrivateKeyDer::from_pem_file(key).map_err(|e| bad(key, e))?;
            builder
                .with_client_auth_cert(chain, private)
                .map_err(|e| bad(certificate, e))?
        }
        None => builder.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

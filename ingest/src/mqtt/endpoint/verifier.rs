//! Who signs clients' certificates is rustls' to judge. What is added here is whom a certificate named that was refused: rustls
//! tells why, and not who, and somebody has to look after that controller.

use std::sync::{Arc, OnceLock};

use harit_protocol::Mac;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use crate::mqtt::certificate::controller;

tokio::task_local! {
    static REFUSED: Arc<OnceLock<Mac>>;
}

/// Runs a handshake. Beside what came of it: the controller that a refused certificate named, which nobody has shown.
pub(super) async fn watched<F: Future>(handshake: F) -> (F::Output, Option<Mac>) {
    let named = Arc::new(OnceLock::new());
    let came = REFUSED.scope(Arc::clone(&named), handshake).await;
    (came, named.get().copied())
}

/// Judges as another does, and notes whom it refuses.
#[derive(Debug)]
pub(super) struct Noting(pub(super) Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for Noting {
    fn offer_client_auth(&self) -> bool {
        self.0.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.0.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verified = self.0.verify_client_cert(end_entity, intermediates, now);
        if verified.is_err()
            && let Ok(mac) = controller(end_entity)
        {
            // Outside a handshake nobody asks.
            let _ = REFUSED.try_with(|refused| refused.set(mac));
        }
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

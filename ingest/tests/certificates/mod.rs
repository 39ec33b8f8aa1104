//! An endpoint with certificates that the test makes, and clients that speak TLS.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use harit_ingest::mqtt::{ClientFiles, EndpointConfig, TlsFiles};
use harit_testkit::certificates::{Ca, DAY, Signed};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::rig::{Hello, PATIENCE, Rig};

/// How often the endpoint looks at its files here.
const READ_EVERY: Duration = Duration::from_millis(50);

/// Who signs, the files, and the endpoint that reads them.
pub(crate) struct Secured {
    pub(crate) ca: Ca,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) rig: Rig,
}

/// Trusts that CA's server, and shows that certificate.
pub(crate) fn client(ca: &Ca, shown: Option<&Signed>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(ca.pem().as_bytes()).unwrap();
    roots.add(root).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    Arc::new(match shown {
        None => builder.with_no_client_auth(),
        Some(shown) => {
            let chain = CertificateDer::pem_slice_iter(shown.pem.as_bytes());
            let key = PrivateKeyDer::from_pem_slice(shown.key.as_bytes()).unwrap();
            let chain = chain.collect::<Result<_, _>>().unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    })
}

impl Secured {
    /// Takes certificates of its CA, of which those are revoked.
    pub(crate) async fn start() -> Self {
        Self::with(|_, _| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&Ca, &mut EndpointConfig)) -> Self {
        let ca = Ca::new("Green Valley CA");
        let dir = tempfile::tempdir().unwrap();
        let (certificate, key) = ca.server().write(dir.path(), "server");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("ca.pem"), ca.pem()).unwrap();
        fs::write(path("crl.pem"), ca.revoke(&[], 30 * DAY)).unwrap();
        let files = TlsFiles {
            certificate,
            key,
            clients: Some(ClientFiles {
                ca: path("ca.pem"),
                crl: Some(path("crl.pem")),
                required: false,
            }),
        };
        let rig = Rig::with(|config| {
            config.tls = Some(files);
            config.tls_read_every = READ_EVERY;
            change(&ca, config);
        })
        .await;
        Self { ca, dir, rig }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A connection by TLS as that client makes it.
    pub(crate) async fn open(
        &self,
        client: &Arc<ClientConfig>,
    ) -> Result<TlsStream<TcpStream>, String> {
        let socket = TcpStream::connect(self.rig.endpoint.local_addr()).await;
        let name = ServerName::try_from("localhost").unwrap();
        let connecting = TlsConnector::from(Arc::clone(client)).connect(name, socket.unwrap());
        let connected = timeout(PATIENCE, connecting).await.expect("in time");
        connected.map_err(|e| e.to_string())
    }

    /// Says hello with a certificate of its CA; the code of the answer, and the connection.
    pub(crate) async fn hello(
        &self,
        shown: Option<&Signed>,
        hello: Hello<'_>,
    ) -> (u8, TlsStream<TcpStream>) {
        let mut stream = self.open(&client(&self.ca, shown)).await.unwrap();
        stream.write_all(&hello.bytes()).await.unwrap();
        let answer = packet(&mut stream).await.unwrap();
        assert_eq!((answer[0], answer[2]), (0x20, 0), "{answer:02x?}");
        (answer[3], stream)
    }

    /// Why a client gets no further than the handshake.
    pub(crate) async fn refusal(&self, client: &Arc<ClientConfig>) -> String {
        match self.open(client).await {
            Err(why) => why,
            // In TLS 1.3 a client hears of it when it reads.
            Ok(mut stream) => packet(&mut stream).await.expect_err("it is refused"),
        }
    }
}

/// The next packet, or why there is none.
pub(crate) async fn packet(stream: &mut TlsStream<TcpStream>) -> Result<Vec<u8>, String> {
    let read = async {
        let mut packet = vec![0; 2];
        stream.read_exact(&mut packet).await?;
        let mut body = vec![0; usize::from(packet[1])];
        stream.read_exact(&mut body).await?;
        packet.extend(body);
        Ok(packet)
    };
    let read = timeout(PATIENCE, read).await.expect("in time");
    read.map_err(|e: std::io::Error| e.to_string())
}

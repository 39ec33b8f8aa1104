//! The endpoint's TLS as openssl sees it, and the commands of docs/operations.md.

use std::path::Path;
use std::process::Stdio;

use crate::certificates::{Secured, client};
use crate::rig::{Hello, MAC, PATIENCE};
use harit_testkit::certificates::Signed;
use tokio::process::Command;
use tokio::time::timeout;

/// Runs it to its end: whether it succeeded, and all that it said.
async fn said(command: &mut Command) -> (bool, String) {
    let run = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let output = timeout(PATIENCE, run).await.expect("in time").unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.success(), text)
}

/// The commands of the documentation, with the MAC that they name.
fn documented() -> String {
    let page = include_str!("../../../docs/operations.md");
    let begins = "```sh\n# Once, on another machine";
    let at = page.find(begins).expect("the commands") + "```sh\n".len();
    page[at..].split("```").next().unwrap().to_owned()
}

#[tokio::test]
async fn the_commands_of_the_documentation_work() {
    let made = tempfile::tempdir().unwrap();
    let mut run = Command::new("sh");
    run.args(["-eu", "-c", &documented()])
        .current_dir(made.path());
    let (good, told) = said(&mut run).await;
    assert!(good, "{told}");
    let read = |name: &str| std::fs::read_to_string(made.path().join(name)).unwrap();
    let shown = Signed::given(read(&format!("{MAC}.pem")), read(&format!("{MAC}.key")));
    for revoked in [false, true] {
        let secured = Secured::with(|_, config| {
            let clients = config.tls.as_mut().unwrap().clients.as_mut().unwrap();
            clients.ca = made.path().join("ca.pem");
            clients.crl = revoked.then(|| made.path().join("crl.pem"));
        })
        .await;
        if revoked {
            let refused = secured.refusal(&client(&secured.ca, Some(&shown))).await;
            assert!(refused.contains("CertificateRevoked"), "{refused}");
        } else {
            let hello = Hello {
                user: None,
                password: "",
                ..Hello::v4()
            };
            assert_eq!(secured.hello(Some(&shown), hello).await.0, 0);
        }
    }
}

#[tokio::test]
async fn tls_1_2_and_1_3_and_no_other() {
    let secured = Secured::start().await;
    let address = secured.rig.endpoint.local_addr().to_string();
    let ca: &Path = &secured.path("ca.pem");
    for (version, spoken) in [
        ("-tls1_3", Some("TLSv1.3")),
        ("-tls1_2", Some("TLSv1.2")),
        ("-tls1_1", None),
        ("-tls1", None),
    ] {
        let mut openssl = Command::new("openssl");
        openssl
            .args(["s_client", "-brief", "-connect", &address, version])
            // or it would not ask for the old ones itself
            .args([
                "-cipher",
                "DEFAULT@SECLEVEL=0",
                "-verify_return_error",
                "-CAfile",
            ])
            .arg(ca);
        let (good, told) = said(&mut openssl).await;
        match spoken {
            Some(name) => assert!(good && told.contains(name), "{version}: {told}"),
            None => assert!(
                // what it offers then has no key exchange that a server of 1.2 takes either
                !good
                    && (told.contains("alert protocol version")
                        || told.contains("alert handshake failure")),
                "{version}: {told}"
            ),
        }
    }
}

//! Mail by SMTP (RFC 5321): text and HTML, the key as `Message-ID`, and for what people can switch off where they do
//! (`List-Unsubscribe`, RFC 2369). The relay signs (DKIM).

use std::time::Duration;

use futures_util::future::BoxFuture;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::{SmtpConfig, SmtpSecurity};
use super::words;
use crate::records::MessageKind;

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// A mail server that takes mail for everybody.
pub(super) struct Smtp {
    transport: Transport,
    from: Mailbox,
    /// Where people say what they want to be told.
    settings: Option<String>,
}

/// Where a reader says that he wants no more of it.
#[derive(Clone)]
struct ListUnsubscribe(String);

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

impl Smtp {
    pub(super) fn new(
        config: &SmtpConfig,
        timeout: Duration,
        public_url: Option<&str>,
    ) -> Result<Self, GatewayError> {
        // the client has no cryptography of its own; the first provider in the process stays
        let _ = rustls::crypto::ring::default_provider().install_default();
        let from = config.from.parse().map_err(|_| {
            GatewayError(format!(
                "smtp.from: {:?} is no address (Harit <alerts@farm.example>)",
                config.from
            ))
        })?;
        let tls = || {
            let mut parameters = TlsParameters::builder(config.host.clone());
            if !config.ca.is_empty() {
                if !config.ca.contains("-----BEGIN CERTIFICATE-----") {
                    return Err(GatewayError("smtp.ca: no certificate is in it".to_owned()));
                }
                let ca = Certificate::from_pem(config.ca.as_bytes())
                    .map_err(|e| GatewayError(format!("smtp.ca: {e}")))?;
                parameters = parameters.add_root_certificate(ca);
            }
            parameters
                .build()
                .map_err(|e| GatewayError(format!("smtp.host: {e}")))
        };
        let tls = match config.security {
            SmtpSecurity::StartTls => Tls::Required(tls()?),
            SmtpSecurity::Tls => Tls::Wrapper(tls()?),
            SmtpSecurity::None => Tls::None,
        };
        let mut builder = Transport::builder_dangerous(&config.host)
            .port(config.port)
            .timeout(Some(timeout))
            .tls(tls);
        if !config.username.is_empty() {
            builder = builder.credentials(Credentials::new(
                config.username.clone(),
                config.password.expose().to_owned(),
            ));
        }
        Ok(Self {
            transport: builder.build(),
            from,
            settings: public_url.map(|url| format!("{}/alerts", url.trim_end_matches('/'))),
        })
    }

    fn mail(&self, message: &Outgoing<'_>) -> Option<Message> {
        let to: Mailbox = message.to.parse().ok()?;
        let id = format!("<{}@{}>", message.key, self.from.email.domain());
        let mut mail = Message::builder()
            .from(self.from.clone())
            .to(to)
            .message_id(Some(id))
            .subject(message.content.title.clone());
        let can_be_switched_off = message.kind == MessageKind::Alert;
        if let Some(page) = self.settings.as_ref().filter(|_| can_be_switched_off) {
            mail = mail.header(ListUnsubscribe(format!("<{page}>")));
        }
        let html = words::html(message.language, message.content);
        let text = SinglePart::builder()
            .header(ContentType::TEXT_PLAIN)
            .body(message.content.body.clone());
        let html = SinglePart::builder()
            .header(ContentType::TEXT_HTML)
            .body(html);
        mail.multipart(MultiPart::alternative().singlepart(text).singlepart(html))
            .ok()
    }
}

impl Gateway for Smtp {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let Some(mail) = self.mail(message) else {
                return Answer::Refused("no mail can be made of it".to_owned());
            };
            match self.transport.send(mail).await {
                Ok(_) => Answer::Taken(None),
                Err(error) => {
                    // the server's text may repeat whom it is for
                    let why = match error.status() {
                        Some(code) => format!("SMTP {code}"),
                        None if error.is_timeout() => "no answer in time".to_owned(),
                        None => "no connection".to_owned(),
                    };
                    // 530 to 535 are of the sign-in, which who runs the server puts right
                    let is_of_sign_in = error
                        .status()
                        .is_some_and(|code| (530..=538).contains(&u16::from(code)));
                    if error.is_permanent() && !is_of_sign_in {
                        Answer::Refused(why)
                    } else {
                        Answer::NotNow {
                            after_secs: None,
                            why,
                        }
                    }
                }
            }
        })
    }
}

//! `harit gateway-sim`: plays the gateways for mail, SMS, WhatsApp, webhooks and Web Push on loopback, and shows what came.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use harit_gateways::{APP_SECRET, Gateways, VERIFY_TOKEN};

use crate::config::{Config, Log};
use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct GatewaySimArgs {
    /// Where its page and the gateways that speak HTTP listen; on loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8025")]
    http: SocketAddr,
    /// Where its mail server listens; on loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:1025")]
    smtp: SocketAddr,
    /// Where WhatsApp's receipts go: a server's https://.../hooks/whatsapp.
    #[arg(long, value_name = "URL")]
    receipts_to: Option<String>,
    /// The server that sends to it: where receipts and answers go that are pressed on its page.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
}

pub(crate) fn main(args: GatewaySimArgs) -> ExitCode {
    crate::log::start(&Log::default());
    if let Some(open) = [args.http, args.smtp]
        .iter()
        .find(|a| !a.ip().is_loopback())
    {
        let open =
            format!("it shows codes to everybody: it listens on loopback only, not on {open}");
        report(
            "harit gateway-sim",
            &*Box::<dyn std::error::Error>::from(open),
        );
        return ExitCode::from(2);
    }
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit gateway-sim", &e);
            ExitCode::FAILURE
        }
    }
}

fn run(args: GatewaySimArgs) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let gateways = Gateways::start(args.http, args.smtp).await?;
        gateways.inbox.send_receipts_to(args.receipts_to);
        gateways.inbox.set_server(&args.server);
        let _closed = io::stdout()
            .lock()
            .write_all(settings(&gateways).as_bytes());
        tokio::select! {
            () = gateways.run() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        Ok(())
    })
}

/// What a server is set to, to send to them.
fn settings(gateways: &Gateways) -> String {
    let Gateways { http, smtp, .. } = gateways;
    format!(
        "What comes is at http://{http}/ (as JSON at /messages). Settings for a server:\n\n\
         [smtp]\nhost = \"{}\"\nport = {}\nsecurity = \"none\"\nfrom = \"Harit <harit@farm.example>\"\n\n\
         [sms]\ngateway = \"twilio\"\nurl = \"http://{http}\"\naccount = \"ACsimulated\"\ntoken = \"simulated\"\nsender = \"+15005550006\"\nprice = \"0.18\"\n\n\
         [whatsapp]\nurl = \"http://{http}/whatsapp\"\nphone_number_id = \"1\"\ntoken = \"simulated\"\napp_secret = \"{APP_SECRET}\"\n\
         verify_token = \"{VERIFY_TOKEN}\"\ntemplates = [\"code=harit_code\", \"invite=harit_invite\", \"notice=harit_notice\", \"alert=harit_alert\"]\nprice = \"0.12\"\n\n\
         [webhook]\nurl = \"http://{http}/webhook\"\nsecret = \"simulated\"\n\n\
         # browsers have push services of their own; one here is http://{http}/push/NAME\n\
         [push]\ncontact = \"mailto:harit@farm.example\"\nloopback = true\n",
        smtp.ip(),
        smtp.port()
    )
}

/// Points a demo to them.
pub(crate) fn connect(config: &mut Config, gateways: &Gateways) -> Result<(), String> {
    let there: Config = toml::from_str(
        settings(gateways)
            .split_once("\n\n")
            .map_or("", |(_, settings)| settings),
    )
    .map_err(|e| e.to_string())?;
    config.smtp = there.smtp;
    config.sms = there.sms;
    config.whatsapp = there.whatsapp;
    config.webhook = there.webhook;
    config.push = there.push;
    Ok(())
}

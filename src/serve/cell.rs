//! What a server does that shares the records with others: it says where it is, takes what they pass on, and follows what they change.

use std::sync::Arc;

use harit_api::{Beside, Passing, Records};
use harit_ingest::Hub;
use tokio::net::TcpListener;

use super::Failed;
use super::mqtt::{Mqtt, Transport};
use crate::config::Config;

/// Starts it, where there is a cell.
pub(super) async fn beside(
    config: &Config,
    records: &Records,
    hub: &Hub,
    mqtt: &Mqtt,
) -> Result<Option<Beside>, Failed> {
    let Some(own) = config.cell().map_err(Failed::at("settings"))? else {
        return Ok(None);
    };
    let at = || Failed::at(format!("cell.listen {}", own.listen));
    let inner = TcpListener::bind(own.listen).await.map_err(at())?;
    let address = match &own.address {
        Some(address) => address.clone(),
        None => inner.local_addr().map_err(at())?.to_string(),
    };
    let passing = Passing::new(records.clone(), hub.clone());
    if let Transport::Endpoint(endpoint) = &mqtt.transport {
        endpoint.pass_on(Arc::new(passing.clone()));
    }
    let place = config.records().map_err(Failed::at("settings"))?;
    if let Some(url) = place.postgres().cloned() {
        let (records, hub) = (records.clone(), hub.clone());
        tokio::spawn(async move {
            records
                .follow(&url, |_, mac| hub.controller_changed(mac))
                .await;
        });
    }
    records
        .is_at(&address)
        .await
        .map_err(Failed::at("records"))?;
    tracing::info!(cell = %own.name, %address, "takes what other servers pass on");
    Ok(Some(Beside { inner, passing }))
}

//! Messages of controllers that come by HTTP.

use std::time::Instant;

use axum::body::Bytes;
use harit_ingest::mqtt::{Batch, Publish, Refusal};

use super::AppState;
use crate::error::ApiError;

impl AppState {
    /// Hands a controller's message to the pipeline and waits until it is durable. Returns how many messages of it could not be read.
    ///
    /// # Errors
    /// When it is nobody's, or of an account that may not publish there; when it sends too much, or the pipeline cannot take it.
    pub(crate) async fn take_message(
        &self,
        name: &str,
        secret: &[u8],
        topic: &str,
        payload: Bytes,
    ) -> Result<usize, ApiError> {
        // Before the secret is looked at: guessing is what it is there for too.
        self.intake()
            .take(&name.to_ascii_uppercase(), Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let uplink = self.uplink();
        let from = uplink.authenticate(name, secret, "").await;
        let from = from.map_err(|why| match why {
            Refusal::BadCredentials | Refusal::Unknown | Refusal::Disabled => {
                ApiError::login_failed()
            }
            Refusal::Unavailable => ApiError::busy(),
        })?;
        if !from.may_publish(topic) {
            return Err(ApiError::not_permitted());
        }
        let publish = Publish {
            topic: topic.into(),
            payload,
            retain: false,
            oversized: None,
        };
        let batch = Batch {
            from: Some(from),
            publishes: vec![publish],
        };
        let taken = uplink.receive(batch).await.await;
        let taken = taken.map_err(|_| ApiError::unavailable())?;
        metrics::counter!("harit_intake_messages_total").increment(1);
        Ok(taken.rejected)
    }
}

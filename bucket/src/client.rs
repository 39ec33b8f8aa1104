//! The client of a bucket.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use thiserror::Error;

use crate::Bucket;

/// How long one request may take: a manifest of some MiB on a line of a village.
const REQUEST: Duration = Duration::from_mins(2);
/// How long a request is repeated whose answer is that of a store which has too much to do. Within what a lease leaves for it.
const RETRIED: Duration = Duration::from_mins(3);

/// There is no client of a bucket.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// Nothing says who asks.
    #[error(
        "{0}: nothing says who asks for it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_ENDPOINT_URL where the bucket is \
         not Amazon's"
    )]
    NoCredentials(Bucket),
    /// What the environment says makes no client.
    #[error("{0}: {1}")]
    Client(Bucket, object_store::Error),
}

impl Bucket {
    /// Makes its client, by the variables of the environment that S3's other clients take. Nothing is asked of the bucket yet.
    ///
    /// # Errors
    /// When the environment does not say who asks, or says what makes no client.
    pub fn connect(&self) -> Result<Arc<dyn ObjectStore>, ConnectError> {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        // Without any the client asks the metadata of a machine in Amazon's cloud, for minutes where there is none.
        let ways = [
            "AWS_ACCESS_KEY_ID",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_METADATA_ENDPOINT",
        ];
        if !ways.into_iter().any(set) {
            return Err(ConnectError::NoCredentials(self.clone()));
        }
        // Whoever is first installs it; another one is the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok());
        let here = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"];
        let is_here = endpoint.is_some_and(|url| here.iter().any(|start| url.starts_with(start)));
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(&self.name)
            .with_client_options(ClientOptions::new().with_timeout(REQUEST))
            .with_retry(RetryConfig {
                retry_timeout: RETRIED,
                ..RetryConfig::default()
            });
        if is_here {
            builder = builder.with_allow_http(true);
        }
        let client = builder
            .build()
            .map_err(|e| ConnectError::Client(self.clone(), e))?;
        Ok(Arc::new(client))
    }
}

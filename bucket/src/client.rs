//! The client of a bucket.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};

use super::bucket::failed;
use crate::error::RepositoryError;
use crate::place;

/// How long one request may take: a manifest of some MiB on a line of a village.
const REQUEST: Duration = Duration::from_mins(2);
/// How long a request is repeated whose answer is that of a store which has too much to do. Within what a lease leaves for it.
const RETRIED: Duration = Duration::from_mins(3);

/// The client of a bucket, by the variables of the environment that S3's other clients take.
pub(super) fn connect(bucket: &place::Bucket) -> Result<Arc<dyn ObjectStore>, RepositoryError> {
    let path = || PathBuf::from(bucket.to_string());
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
        return Err(RepositoryError::NoCredentials(path()));
    }
    // Whoever is first installs it; another one is the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok());
    let here = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"];
    let is_here = endpoint.is_some_and(|url| here.iter().any(|start| url.starts_with(start)));
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&bucket.name)
        .with_client_options(ClientOptions::new().with_timeout(REQUEST))
        .with_retry(RetryConfig {
            retry_timeout: RETRIED,
            ..RetryConfig::default()
        });
    if is_here {
        builder = builder.with_allow_http(true);
    }
    let client = builder.build().map_err(|e| failed(path(), e))?;
    Ok(Arc::new(client))
}

//! Where files go that are kept elsewhere: a directory, or a bucket of an object store that speaks S3.
//!
//! A bucket is written as `s3://BUCKET/PREFIX`. Who asks for it, and where it is if it is not Amazon's, is told by the
//! variables of the environment that other clients of S3 take too: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
//! `AWS_REGION`, `AWS_ENDPOINT_URL`.

mod client;
mod place;

pub use client::ConnectError;
pub use place::{Bucket, NoPlace, Place};

//! A directory or a bucket, as people write it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use object_store::path::{Path as Location, PathPart};
use thiserror::Error;

/// A directory, such as `/mnt/usb/harit`, or a bucket, `s3://BUCKET/PREFIX`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A directory.
    Directory(PathBuf),
    /// A bucket of an object store.
    Bucket(Bucket),
}

/// A bucket of an object store that speaks S3, and what names in it begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    pub(crate) name: String,
    prefix: Location,
}

/// A text that names no place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoPlace {
    /// Another kind of address.
    #[error("{0}: this is neither a directory nor s3://BUCKET/PREFIX")]
    Scheme(String),
    /// The bucket is missing, or its name cannot be one.
    #[error(
        "{0}: the name of the bucket is missing or has other signs than a-z, 0-9, dot and hyphen"
    )]
    Bucket(String),
    /// What follows the bucket cannot be the beginning of names.
    #[error("{url}: {why}")]
    Prefix {
        /// The text.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

impl FromStr for Place {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        match text.contains("://") {
            false => Ok(Self::Directory(text.into())),
            true => text.parse().map(Self::Bucket),
        }
    }
}

impl FromStr for Bucket {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let Some(rest) = text.strip_prefix("s3://") else {
            return Err(NoPlace::Scheme(text.to_owned()));
        };
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let known = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
        if name.is_empty() || !name.bytes().all(known) {
            return Err(NoPlace::Bucket(text.to_owned()));
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let prefix = Location::parse(prefix).map_err(|e| NoPlace::Prefix {
            url: text.to_owned(),
            why: e.to_string(),
        })?;
        Ok(Self {
            name: name.to_owned(),
            prefix,
        })
    }
}

impl Bucket {
    /// Where an object of this name is, with `/` between the parts. What an object store takes is kept as it is, `%` too.
    #[must_use]
    pub fn location(&self, name: &str) -> Location {
        let parts = name.split('/').filter(|part| !part.is_empty());
        parts.fold(self.prefix.clone(), |at, part| {
            match PathPart::parse(part) {
                Ok(part) => at.join(part),
                Err(_) => at.join(part),
            }
        })
    }
}

impl From<PathBuf> for Place {
    fn from(dir: PathBuf) -> Self {
        Self::Directory(dir)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(dir) => write!(f, "{}", dir.display()),
            Self::Bucket(bucket) => fmt::Display::fmt(bucket, f),
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.name)?;
        match self.prefix.as_ref() {
            "" => Ok(()),
            prefix => write!(f, "/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_directory_or_a_bucket() {
        for (text, shown) in [
            ("/mnt/usb", "/mnt/usb"),
            ("backups", "backups"),
            ("s3://farm", "s3://farm"),
            ("s3://farm/", "s3://farm"),
            ("s3://farm.in/harit/pi-1/", "s3://farm.in/harit/pi-1"),
        ] {
            let place: Place = text.parse().unwrap();
            assert_eq!(place.to_string(), shown);
            assert_eq!(matches!(place, Place::Bucket(_)), text.starts_with("s3"));
        }
        for (text, why) in [
            ("ftp://farm/x", "neither a directory nor"),
            ("S3://farm", "neither a directory nor"),
            ("s3://", "the name of the bucket"),
            ("s3:///x", "the name of the bucket"),
            ("s3://Farm/x", "the name of the bucket"),
            ("s3://farm/a//b", "empty"),
            ("s3://farm/../x", "s3://farm/../x"),
        ] {
            let refused = text.parse::<Place>().unwrap_err().to_string();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
    #[test]
    fn names_are_below_the_prefix_and_stay_as_they_are() {
        for (bucket, name, location) in [
            ("s3://farm/harit", "chunks/ab/ab12", "harit/chunks/ab/ab12"),
            ("s3://farm", "", ""),
            (
                "s3://farm/a",
                "farm=Ravi%27s/day=1",
                "a/farm=Ravi%27s/day=1",
            ),
            ("s3://farm/a", "../b", "a/%2E%2E/b"),
        ] {
            let bucket: Bucket = bucket.parse().unwrap();
            assert_eq!(bucket.location(name).as_ref(), location);
        }
        assert!("/mnt/usb".parse::<Bucket>().is_err());
    }
}

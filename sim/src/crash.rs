//! A crash at every point of a short log.

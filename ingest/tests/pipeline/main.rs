//! The pipeline from publish to command over real files, without sockets.

mod announce;
mod commands;
mod history;
mod recovery;
mod world;

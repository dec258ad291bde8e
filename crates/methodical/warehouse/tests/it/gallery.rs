//! The service of the tests of methodical-mirror, which has past values.

#[path = "../../../mirror/tests/it/gallery/model.rs"]
mod model;
#[path = "../../../mirror/tests/it/gallery/server.rs"]
mod server;

pub(crate) use crate::gallery::model::Gallery;
pub(crate) use crate::gallery::server::Server;

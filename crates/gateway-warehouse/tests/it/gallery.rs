//! The service of the tests of gateway-mirror, which has past values.

#[path = "../../../gateway-mirror/tests/it/gallery/model.rs"]
mod model;
#[path = "../../../gateway-mirror/tests/it/gallery/server.rs"]
mod server;

pub(crate) use crate::gallery::model::Gallery;
pub(crate) use crate::gallery::server::Server;

//! The service of the tests of the mirror.

#[path = "../../../mirror/tests/it/gallery/model.rs"]
mod model;
#[path = "../../../mirror/tests/it/gallery/server.rs"]
#[expect(dead_code, reason = "the tests of another crate share it")]
mod server;

pub(crate) use crate::gallery::model::Gallery;
pub(crate) use crate::gallery::server::{Server, marks};

//! A service with photos in albums, where only a filter reveals which mark a photo has in an album.

mod model;
mod server;

pub(crate) use crate::gallery::model::PHOTO;
pub(crate) use crate::gallery::server::{
    FAILED, HTML, Marks, REFUSED, Server, State, marks, rechecking,
};

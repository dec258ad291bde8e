//! Records and queries of «title», without I/O.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;

mod generated;

pub use methodical_model::{
    DecodeError, DecodeErrorKind, Decoded, ErrorClass, Extra, ListOperation, Listing, Metadata,
    Next, Operation, PagedOperation, Query, RawJson, Record, Rejected, Service, ServiceError,
    StreamDecoder,
};

pub use crate::generated::RawQuery;
pub use crate::generated::*;

/// The service, with the constants that all calls share.
pub mod service {
    pub use crate::generated::service::*;
}

/// The tables of a mirror, and what a mirror reads.
pub mod tables {
    pub use crate::generated::tables::*;
}

//! The methods that are called by POST, for the command `api`.

use crate::ir::{BodyFormat, Service};
use crate::text::{RustFile, string};

/// Declares the methods that are called by POST, if any. `runtime` is the crate with their type.
pub(super) fn declare(file: &mut RustFile, service: &Service, runtime: &str) {
    let posts = service.operations.iter().filter_map(|one| Some((one, one.post?)));
    let posts: Vec<_> = posts
        .map(|(operation, post)| {
            let format = match post.format {
                BodyFormat::Form => "form",
                BodyFormat::Json => "json",
            };
            let idempotent = if post.is_idempotent { ".idempotent()" } else { "" };
            let select = string(&operation.select);
            format!("{runtime}::PostMethod::{format}({select}){idempotent}")
        })
        .collect();
    if !posts.is_empty() {
        let posts = posts.join(", ");
        file.line(format_args!("const POSTS: &'static [{runtime}::PostMethod] = &[{posts}];"));
        file.blank();
    }
}

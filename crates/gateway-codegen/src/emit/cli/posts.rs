//! The methods that are called by POST, for the command `api`.

use crate::emit::cli::RUNTIME;
use crate::ir::{BodyFormat, Service};
use crate::text::{RustFile, string};

/// Declares the methods that are called by POST, if there are some.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let posts = service.operations.iter().filter_map(|one| Some((one, one.post?)));
    let posts: Vec<_> = posts
        .map(|(operation, post)| {
            let format = match post.format {
                BodyFormat::Form => "form",
                BodyFormat::Json => "json",
            };
            let idempotent = if post.is_idempotent { ".idempotent()" } else { "" };
            let select = string(&operation.select);
            format!("{RUNTIME}::PostMethod::{format}({select}){idempotent}")
        })
        .collect();
    if !posts.is_empty() {
        let posts = posts.join(", ");
        file.line(format_args!("const POSTS: &'static [{RUNTIME}::PostMethod] = &[{posts}];"));
        file.blank();
    }
}

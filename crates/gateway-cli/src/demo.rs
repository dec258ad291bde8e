//! The sample service of `--demo`.

use std::error::Error as _;

use gateway_client::AccessToken;
use gateway_server::demo;

use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};

/// Starts the sample service, which runs until the last part of this is dropped. Returns its base URL and its token too.
pub(crate) fn start() -> Result<(String, AccessToken, Unfinished), Failure> {
    let started = interrupt::begin(|| {
        let demo = demo::start()?;
        let service = (demo.base_url().to_owned(), AccessToken::new(demo.token()));
        Ok((service, Undo::new(move || drop(demo)).slow()))
    });
    let ((base_url, token), running) = started.map_err(|error: gateway_server::Error| {
        let failure = Failure::usage("the sample service does not start")
            .hint("its data is in a temporary file, for which TMPDIR can name another folder");
        match error.source() {
            Some(cause) => failure.because(cause.to_string()),
            None => failure.because(error.to_string()),
        }
    })?;
    Ok((base_url, token?, running))
}

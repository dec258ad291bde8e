//! The sample service of `--demo`, which runs in this process.

use std::error::Error as _;

use gateway_client::AccessToken;
use gateway_server::demo;

use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};

/// Starts the sample service. Returns its base URL, its token, and a guard that stops it when dropped.
pub(crate) fn start() -> Result<(String, AccessToken, Unfinished), Failure> {
    let started = interrupt::begin(|| {
        let demo = demo::start()?;
        let service = (demo.base_url().to_owned(), AccessToken::new(demo.token()));
        Ok((service, Undo::new(move || drop(demo)).slow()))
    });
    let ((base_url, token), running) = started.map_err(|error: gateway_server::Error| {
        let failure = Failure::usage("cannot start the sample service")
            .hint("its data is in a temporary file; set TMPDIR to use another folder");
        match error.source() {
            Some(cause) => failure.because(cause.to_string()),
            None => failure.because(error.to_string()),
        }
    })?;
    Ok((base_url, token?, running))
}

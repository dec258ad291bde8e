//! Token commands that end with the program.
//!
//! A token command runs in its own process group, so a terminal does not send it the signals of Ctrl-C.

use std::convert::Infallible;
use std::future;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use methodical_client::transport::{BoxError, BoxFuture};
use methodical_client::{AccessToken, CommandToken, TokenSource};

use crate::interrupt::{self, Undo};
use crate::lock::lock;

/// A token command that is killed when a signal ends the program.
#[derive(Clone, Debug)]
pub(crate) struct TokenCommand(CommandToken);

impl TokenCommand {
    /// Creates a source that runs this program with these arguments.
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        Self(words.fold(CommandToken::new(program), CommandToken::arg))
    }
}

impl TokenSource for TokenCommand {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async {
            let command = self.0.clone();
            let running: BoxFuture<'static, _> = Box::pin(async move { command.token(None).await });
            let running = Arc::new(Mutex::new(Some(running)));
            let ended = Arc::clone(&running);
            // The client kills a command whose future is dropped.
            let begun = interrupt::begin(|| {
                Ok::<_, Infallible>(((), Undo::new(move || drop(lock(&ended).take()))))
            });
            let Ok(((), _unfinished)) = begun;
            future::poll_fn(|context| match lock(&running).as_mut() {
                Some(running) => running.as_mut().poll(context),
                // The process is about to end.
                None => Poll::Pending,
            })
            .await
        })
    }
}

//! One question to the token source for all the calls that wait for a token.

use std::error::Error as StdError;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_lock::Mutex;

use crate::{AccessToken, Error, ErrorKind, TokenSource};

/// The source of a client and the token it gave last.
pub(crate) struct Tokens {
    source: Arc<dyn TokenSource>,
    last: RwLock<Option<AccessToken>>,
    /// How many questions have been answered.
    answered: AtomicUsize,
    /// Held while the source is asked, so that it is asked once however many calls wait. Its answer is for all of them.
    asking: Mutex<Option<Reply>>,
}

/// What the source answered last, and to which question.
struct Reply {
    refused: Option<AccessToken>,
    result: Result<AccessToken, Arc<dyn StdError + Send + Sync>>,
}

impl Tokens {
    pub(crate) fn new(source: Arc<dyn TokenSource>) -> Self {
        Self {
            source,
            last: RwLock::new(None),
            answered: AtomicUsize::new(0),
            asking: Mutex::new(None),
        }
    }

    /// Returns the token to use.
    pub(crate) async fn current(&self) -> Result<AccessToken, Error> {
        let answered = self.answered();
        match self.last().filter(|token| self.source.is_current(token)) {
            Some(token) => Ok(token),
            None => self.ask(answered, None).await,
        }
    }

    /// Returns another token than `refused`, or `None` if the source has no other.
    pub(crate) async fn other_than(
        &self,
        refused: &AccessToken,
    ) -> Result<Option<AccessToken>, Error> {
        let other = |token: &AccessToken| !token.is(refused);
        let answered = self.answered();
        match self.last().filter(other) {
            // Another call has replaced it meanwhile.
            Some(token) => Ok(Some(token)),
            None => Ok(Some(self.ask(answered, Some(refused)).await?).filter(other)),
        }
    }

    /// Asks the source, or takes what it answered to another call while this one waited. `before` is how many answers
    /// there were when this call looked for a token and found none.
    async fn ask(
        &self,
        before: usize,
        refused: Option<&AccessToken>,
    ) -> Result<AccessToken, Error> {
        let mut last = self.asking.lock().await;
        let came_meanwhile = self.answered() != before;
        if let Some(reply) = last.as_ref().filter(|reply| came_meanwhile && reply.is_for(refused)) {
            return reply.token();
        }
        // If the call gives up here, this was no question: the next one that waits asks.
        let result = self.source.token(refused).await.map_err(Arc::from);
        if let Ok(token) = &result {
            *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        }
        let reply = last.insert(Reply { refused: refused.cloned(), result });
        self.answered.fetch_add(1, Ordering::Release);
        reply.token()
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::Acquire)
    }

    fn last(&self) -> Option<AccessToken> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Reply {
    /// Whether it answers the question of a call whose token was `refused`, too.
    fn is_for(&self, refused: Option<&AccessToken>) -> bool {
        match (&self.result, refused) {
            // A source that did not know of the refusal may have had no reason to look for another token.
            (Ok(token), Some(refused)) if token.is(refused) => {
                self.refused.as_ref().is_some_and(|known| known.is(refused))
            }
            _ => true,
        }
    }

    fn token(&self) -> Result<AccessToken, Error> {
        self.result.clone().map_err(|error| {
            Error::new(ErrorKind::Token, "the token source has no token").because_shared(error)
        })
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::task::{Context, Poll, Waker};

    use gateway_transport::{BoxError, BoxFuture};

    use super::Tokens;
    use crate::{AccessToken, Error, ErrorKind, TokenSource};

    /// Answers once it may, and counts the questions.
    struct Gated {
        answer: fn(Option<&AccessToken>) -> Option<&'static str>,
        is_open: AtomicBool,
        asked: AtomicUsize,
    }

    impl TokenSource for Gated {
        fn token<'a>(
            &'a self,
            refused: Option<&'a AccessToken>,
        ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Box::pin(std::future::poll_fn(move |_| {
                let is_open = self.is_open.load(Ordering::Relaxed);
                if !is_open {
                    return Poll::Pending;
                }
                let answer = (self.answer)(refused).ok_or("the vault is sealed");
                Poll::Ready(answer.map(token).map_err(Into::into))
            }))
        }
    }

    fn gated(answer: fn(Option<&AccessToken>) -> Option<&'static str>) -> (Arc<Gated>, Tokens) {
        let (is_open, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
        let source = Arc::new(Gated { answer, is_open, asked });
        let shared: Arc<dyn TokenSource> = Arc::<Gated>::clone(&source);
        (source, Tokens::new(shared))
    }

    impl Gated {
        /// Lets all of these wait, and then the source answer.
        fn answer_all<T>(&self, mut waiting: Vec<BoxFuture<'_, T>>) -> Vec<T> {
            let mut context = Context::from_waker(Waker::noop());
            for future in &mut waiting {
                assert!(future.as_mut().poll(&mut context).is_pending());
            }
            self.is_open.store(true, Ordering::Relaxed);
            let mut outcomes = Vec::new();
            while !waiting.is_empty() {
                waiting.retain_mut(|future| match future.as_mut().poll(&mut context) {
                    Poll::Ready(outcome) => {
                        outcomes.push(outcome);
                        false
                    }
                    Poll::Pending => true,
                });
            }
            outcomes
        }

        fn asked(&self) -> usize {
            self.asked.load(Ordering::Relaxed)
        }
    }

    fn token(text: &str) -> AccessToken {
        AccessToken::new(text).unwrap()
    }

    #[test]
    fn calls_that_wait_share_a_token() {
        let (source, tokens) = gated(|_| Some("gwt_1"));
        let calls = (0..50).map(|_| -> BoxFuture<'_, _> { Box::pin(tokens.current()) });
        assert!(source.answer_all(calls.collect()).iter().all(Result::is_ok));
        assert_eq!(source.asked(), 1);
    }

    #[test]
    fn calls_that_wait_share_a_failure_and_a_later_call_asks_anew() {
        let (source, tokens) = gated(|_| None);
        let calls = (0..50).map(|_| -> BoxFuture<'_, _> { Box::pin(tokens.current()) });
        for outcome in source.answer_all(calls.collect()) {
            let error: Error = outcome.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Token);
            let reason = std::error::Error::source(&error).unwrap();
            assert_eq!(reason.to_string(), "the vault is sealed");
        }
        assert_eq!(source.asked(), 1);
        assert!(pollster::block_on(tokens.current()).is_err());
        assert_eq!(source.asked(), 2);
    }

    #[test]
    fn calls_with_one_refused_token_share_that_there_is_no_other() {
        let (source, tokens) = gated(|_| Some("gwt_1"));
        let refused = token("gwt_1");
        let calls = (0..50).map(|_| -> BoxFuture<'_, _> { Box::pin(tokens.other_than(&refused)) });
        assert!(
            source.answer_all(calls.collect()).into_iter().all(|other| other.unwrap().is_none())
        );
        assert_eq!(source.asked(), 1);
        assert!(pollster::block_on(tokens.other_than(&refused)).unwrap().is_none());
        assert_eq!(source.asked(), 2);
    }

    #[test]
    fn a_refusal_is_told_to_a_source_that_did_not_know_of_it() {
        let (source, tokens) =
            gated(|refused| Some(if refused.is_some() { "gwt_2" } else { "gwt_1" }));
        let refused = token("gwt_1");
        let calls: Vec<BoxFuture<'_, Result<Option<AccessToken>, Error>>> = vec![
            Box::pin(async { tokens.current().await.map(Some) }),
            Box::pin(tokens.other_than(&refused)),
            Box::pin(tokens.other_than(&refused)),
        ];
        let outcomes = source.answer_all(calls);
        assert_eq!(source.asked(), 2);
        let given = outcomes.into_iter().map(|outcome| outcome.unwrap().unwrap());
        assert_eq!(given.filter(|given| given.is(&token("gwt_2"))).count(), 2);
    }

    #[test]
    fn a_question_that_is_given_up_is_asked_by_the_next() {
        let (source, tokens) = gated(|_| Some("gwt_1"));
        let mut first = Box::pin(tokens.current());
        let mut context = Context::from_waker(Waker::noop());
        assert!(first.as_mut().poll(&mut context).is_pending());
        let second: BoxFuture<'_, _> = Box::pin(tokens.current());
        drop(first);
        assert!(source.answer_all(vec![second]).iter().all(Result::is_ok));
        assert_eq!(source.asked(), 2);
    }
}

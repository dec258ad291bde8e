//! Calls that wait for a token concurrently.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use gateway_transport::{BoxError, BoxFuture};

use super::TokenCache;
use crate::{AccessToken, Error, ErrorKind, TokenSource};

/// A source that answers one request each time it is allowed to, and counts the requests.
struct Gated {
    issue: fn(Option<&AccessToken>) -> Option<&'static str>,
    may_answer: AtomicBool,
    asked: AtomicUsize,
}

impl TokenSource for Gated {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::poll_fn(move |_| {
            if !self.may_answer.swap(false, Ordering::Relaxed) {
                return Poll::Pending;
            }
            let issued = (self.issue)(refused).ok_or("the vault is sealed");
            Poll::Ready(issued.map(token).map_err(Into::into))
        }))
    }
}

fn gated(issue: fn(Option<&AccessToken>) -> Option<&'static str>) -> (Arc<Gated>, TokenCache) {
    let (may_answer, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let source = Arc::new(Gated { issue, may_answer, asked });
    let shared: Arc<dyn TokenSource> = Arc::<Gated>::clone(&source);
    (source, TokenCache::new(shared, false))
}

impl Gated {
    /// Polls all of these futures once, then lets the source answer the requests one by one.
    fn answer_all<T>(&self, mut waiting: Vec<BoxFuture<'_, T>>) -> Vec<T> {
        let mut context = Context::from_waker(Waker::noop());
        for future in &mut waiting {
            assert!(future.as_mut().poll(&mut context).is_pending());
        }
        let mut outcomes = Vec::new();
        while !waiting.is_empty() {
            self.may_answer.store(true, Ordering::Relaxed);
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

fn current(tokens: &TokenCache) -> BoxFuture<'_, Result<AccessToken, Error>> {
    Box::pin(tokens.current())
}

fn token(text: &str) -> AccessToken {
    AccessToken::new(text).unwrap()
}

#[test]
fn waiting_calls_share_a_token() {
    let (source, tokens) = gated(|_| Some("gwt_1"));
    let calls = (0..50).map(|_| current(&tokens)).collect();
    assert!(source.answer_all(calls).iter().all(Result::is_ok));
    assert_eq!(source.asked(), 1);
}

#[test]
fn waiting_calls_share_a_failure_and_a_later_call_asks_again() {
    let (source, tokens) = gated(|_| None);
    let calls = (0..50).map(|_| current(&tokens)).collect();
    for outcome in source.answer_all(calls) {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token);
        let reason = std::error::Error::source(&error).unwrap();
        assert_eq!(reason.to_string(), "the vault is sealed");
    }
    assert_eq!(source.asked(), 1);
    assert!(source.answer_all(vec![current(&tokens)]).iter().all(Result::is_err));
    assert_eq!(source.asked(), 2);
}

#[test]
fn calls_with_one_refused_token_share_the_lack_of_another() {
    let (source, tokens) = gated(|_| Some("gwt_1"));
    let call = || -> BoxFuture<'_, _> {
        Box::pin(async {
            let refused = tokens.current().await.unwrap();
            tokens.other_than(&refused).await.unwrap()
        })
    };
    // The first call is refused before the others have used the token that they waited for.
    let calls = (0..50).map(|_| call());
    assert!(source.answer_all(calls.collect()).iter().all(Option::is_none));
    assert_eq!(source.asked(), 2);
    assert!(source.answer_all(vec![call()]).iter().all(Option::is_none));
    assert_eq!(source.asked(), 3);
}

#[test]
fn a_call_that_is_refused_late_uses_the_token_that_replaced_its_own() {
    let (source, tokens) = gated(|_| Some("gwt_2"));
    let refused = token("gwt_1");
    let refused_early: BoxFuture<'_, _> = Box::pin(tokens.other_than(&refused));
    assert!(source.answer_all(vec![refused_early]).remove(0).unwrap().is_some());
    let mut refused_late = Box::pin(tokens.other_than(&refused));
    let outcome = refused_late.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(replaced) = outcome else { panic!("the source was asked again") };
    assert_eq!(replaced.unwrap().unwrap(), token("gwt_2"));
    assert_eq!(source.asked(), 1);
}

#[test]
fn a_source_that_was_not_told_of_a_refusal_is_asked_again() {
    let (source, tokens) = gated(|refused| Some(if refused.is_some() { "gwt_2" } else { "gwt_1" }));
    let refused = token("gwt_1");
    let calls: Vec<BoxFuture<'_, Result<Option<AccessToken>, Error>>> = vec![
        Box::pin(async { tokens.current().await.map(Some) }),
        Box::pin(tokens.other_than(&refused)),
        Box::pin(tokens.other_than(&refused)),
    ];
    let outcomes = source.answer_all(calls);
    assert_eq!(source.asked(), 2);
    let given = outcomes.into_iter().map(|outcome| outcome.unwrap().unwrap());
    assert_eq!(given.filter(|given| *given == token("gwt_2")).count(), 2);
}

#[test]
fn the_request_of_a_dropped_call_is_made_by_the_next() {
    let (source, tokens) = gated(|_| Some("gwt_1"));
    let (mut first, mut second) = (current(&tokens), current(&tokens));
    let mut context = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    assert_eq!(source.asked(), 1);
    drop(first);
    assert!(source.answer_all(vec![second]).iter().all(Result::is_ok));
    assert_eq!(source.asked(), 2);
}

#[test]
fn a_secret_that_is_not_a_bearer_token_is_refused_where_one_is_sent() {
    let secret = || Arc::new(AccessToken::secret("110201543:AAH").unwrap());
    let given = pollster::block_on(TokenCache::new(secret(), false).current());
    assert_eq!(given.unwrap(), *secret());
    let refused = pollster::block_on(TokenCache::new(secret(), true).current());
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Token);
}

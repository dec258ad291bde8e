//! The tokens: who issues them, who revokes them, and which ones were refused.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;
use gateway_client::{AccessToken, TokenSource};
use gateway_server::{TokenDigest, UnixTime};
use gateway_transport::{BoxError, BoxFuture};

use crate::account::Account;
use crate::world::World;

/// Issues tokens for the account, and revokes them. Clones share it.
#[derive(Clone)]
pub(crate) struct Vault(Arc<Mutex<State>>);

struct State {
    world: World,
    account: Account,
    random: Rng,
    current: String,
    issued: u32,
    /// Requests that have no answer yet.
    pending: u32,
    /// When the source answered, and with which token.
    answers: Vec<(Duration, String)>,
    is_slow: bool,
}

impl Vault {
    /// Creates a vault with one token.
    pub(crate) fn new(world: &World, account: &Account) -> Self {
        let (random, current) = (world.fork(), String::new());
        let (world, account) = (world.clone(), account.clone());
        let (pending, answers) = (0, Vec::new());
        let state =
            State { world, account, random, current, issued: 0, pending, answers, is_slow: true };
        let vault = Self(Arc::new(Mutex::new(state)));
        vault.renew();
        vault
    }

    /// Issues another token. Earlier ones remain valid.
    fn renew(&self) {
        let mut state = self.state();
        state.issued += 1;
        let text = format!("{PREFIX}{}", state.issued);
        let (store, id) = (state.account.store(), state.account.id());
        store.add_token(id, &TokenDigest::of(&text), "", UnixTime(0), None).unwrap();
        state.world.note(format!("token {} issued", state.issued));
        state.current = text;
    }

    /// Revokes the current token.
    pub(crate) fn revoke(&self) {
        let state = self.state();
        let (store, id) = (state.account.store(), state.account.id());
        let digest = TokenDigest::of(&state.current);
        store.revoke_token(id, &digest.id(), UnixTime(1)).unwrap();
        state.world.note(format!("token {} revoked", state.issued));
    }

    /// Makes the source answer quickly from now on.
    pub(crate) fn calm(&self) {
        self.state().is_slow = false;
    }

    /// Returns whether a call that began at `begun` may send a token at `sent`: the source last returned it before the
    /// call or during it.
    pub(crate) fn may_send(&self, token: &str, begun: Duration, sent: Duration) -> bool {
        let state = self.state();
        // The times do not show the order of two simultaneous events.
        let before = state.answers.iter().rposition(|(at, _)| *at < begun).unwrap_or(0);
        let given = state.answers.iter().skip(before).take_while(|(at, _)| *at <= sent);
        given.into_iter().any(|(_, one)| one == token)
    }

    /// Begins a request. Returns how long it takes.
    fn ask(&self, refused: Option<&AccessToken>) -> Duration {
        let mut state = self.state();
        state.pending += 1;
        state.world.note(format!("token asked, refused: {}", refused.is_some()));
        state.world.check(state.pending == 1, || "two requests for a token at a time".to_owned());
        let longest = if state.is_slow { 3_000 } else { 50 };
        Duration::from_millis(state.random.u64(0..longest))
    }

    /// Ends a request.
    fn answer(&self, refused: Option<&AccessToken>) -> Result<AccessToken, BoxError> {
        let is_current = {
            let state = self.state();
            AccessToken::new(state.current.as_str())
                .is_ok_and(|current| refused.is_some_and(|refused| *refused == current))
        };
        if is_current {
            self.renew();
        }
        let mut state = self.state();
        let (at, current) = (state.world.elapsed(), state.current.clone());
        state.answers.push((at, current.clone()));
        Ok(AccessToken::new(current)?)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

/// A source that waits in virtual time without blocking: for the async client.
impl TokenSource for Vault {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async move {
            let delay = self.ask(refused);
            let pending = Pending(self);
            methodical_client::sleep(delay).await;
            drop(pending);
            self.answer(refused)
        })
    }
}

/// A source that blocks its thread in virtual time: for the blocking client.
#[derive(Clone)]
pub(crate) struct BlockingVault(pub Vault);

impl TokenSource for BlockingVault {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let delay = self.0.ask(refused);
        let pending = Pending(&self.0);
        methodical_client::sleep_blocking(delay);
        drop(pending);
        Box::pin(std::future::ready(self.0.answer(refused)))
    }
}

/// A request to the source. Dropping it ends the request.
struct Pending<'a>(&'a Vault);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.state().pending -= 1;
    }
}

/// The prefix of every token. It must never arrive at another host.
pub(crate) const PREFIX: &str = "gwt_simulation_";

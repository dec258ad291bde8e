//! Asks a service for the values of a recovery, with at most some calls at the same time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use methodical_client::blocking;

use crate::engine::brake::Rules;
use crate::error::Error;
use crate::mirror::Mirror;
use crate::recovery::asking::{Answer, Asking};
use crate::recovery::known::{self, Forgotten};
use crate::recovery::rota::Rota;
use crate::recovery::target::Target;
use crate::recovery::write::{self, Recovered, Values};
use crate::sync::budget::Budget;
use crate::sync::options::SyncOptions;
use crate::sync::progress::{Observer, SyncProgress};

/// A list that recovers values.
pub(crate) trait Recover<S>: Send + Sync {
    fn target(&self) -> Target;

    /// Asks for the members of a group, or for those of them with a value.
    fn ask(
        &self,
        client: &blocking::Client<S>,
        group: &str,
        value: Option<&str>,
        budget: &Budget,
    ) -> Answer;
}

/// Recovers the values of one table, with one thread for each call at the same time.
pub(crate) fn recover<S>(
    mirror: &mut Mirror,
    client: &blocking::Client<S>,
    recovery: &dyn Recover<S>,
    options: &SyncOptions,
    budget: &Budget,
) -> Result<Recovered, Error> {
    let target = recovery.target();
    let begun = Shared {
        state: Mutex::new(Open {
            begun: begin(mirror, &target, options)?,
            calls: 0,
            failure: None,
        }),
        changed: Condvar::new(),
    };
    let report = |begun: &Begun| begun.report(&target, &options.observer);
    let ask = |group: &str, value: Option<&str>| recovery.ask(client, group, value, budget);
    thread::scope(|scope| {
        for _ in 1..options.concurrency {
            scope.spawn(|| begun.work(&ask, &report));
        }
        begun.work(&ask, &report);
    });
    let Open { begun, failure, .. } =
        begun.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failure {
        Some(error) => Err(error),
        None => begun.finish(mirror, &target, options.rules_of(target.table.name())),
    }
}

/// A recovery that was begun.
struct Begun {
    asking: Asking,
    forgotten: Forgotten,
    rota: Rota,
}

fn begin(mirror: &Mirror, target: &Target, options: &SyncOptions) -> Result<Begun, Error> {
    let more = options.values_of(target.value);
    let known::Knowledge { groups, values, members, rota, forgotten, hasher } =
        known::read(mirror, target, more, options.recheck_every)?;
    let asking = Asking::new(target.value, groups, values, members, hasher);
    Ok(Begun { asking, forgotten, rota })
}

impl Begun {
    fn report(&self, target: &Target, observer: &Observer) {
        let (asked, all) = self.asking.progress();
        observer.report(SyncProgress::Groups {
            table: target.table.name(),
            groups: target.groups.name(),
            asked: u64::try_from(asked).unwrap_or(u64::MAX),
            all: u64::try_from(all).unwrap_or(u64::MAX),
        });
    }

    fn finish(
        self,
        mirror: &mut Mirror,
        target: &Target,
        rules: Rules,
    ) -> Result<Recovered, Error> {
        let values =
            Values { all: self.asking.values().to_vec(), kept: self.asking.values_to_keep() };
        let groups = self.asking.finish()?;
        let before = write::Begun { rota: &self.rota, forgotten: &self.forgotten };
        write::write(mirror, target, rules, &values, before, groups)
    }
}

/// A recovery that several threads work on.
struct Shared {
    state: Mutex<Open>,
    changed: Condvar,
}

struct Open {
    begun: Begun,
    /// How many answers are awaited.
    calls: usize,
    failure: Option<Error>,
}

impl Shared {
    /// Asks until there are no more queries.
    fn work(&self, ask: &impl Fn(&str, Option<&str>) -> Answer, report: &impl Fn(&Begun)) {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() {
                return;
            }
            let Some(query) = state.begun.asking.next() else {
                if state.calls == 0 {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (group, value) = state.begun.asking.parts(query);
            let (group, value) = (group.to_owned(), value.map(str::to_owned));
            state.calls += 1;
            drop(state);
            let call = Call(self);
            let answer = ask(&group, value.as_deref());
            state = self.lock();
            let answer = state.begun.forgotten.without(answer);
            if let Err(error) = state.begun.asking.answer(query, answer) {
                state.failure.get_or_insert(error);
            }
            report(&state.begun);
            drop(state);
            drop(call);
            state = self.lock();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that has begun. Its end wakes the other threads, also after a panic.
struct Call<'a>(&'a Shared);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.lock().calls -= 1;
        self.0.changed.notify_all();
    }
}

impl Forgotten {
    /// Removes the forgotten members from an answer.
    fn without(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Members(mut ids) => {
                ids.retain(|id| !self.has(id));
                Answer::Members(ids)
            }
            other => other,
        }
    }
}

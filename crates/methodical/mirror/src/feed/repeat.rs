//! Repeated syncs, with a delivery after each.

use std::time::Duration;

use crate::error::Error;
use crate::feed::schedule::{Due, Schedule};
use crate::feed::stop::Stop;
use crate::mirror::{Mirror, lock, now};

impl Mirror {
    /// Syncs and delivers repeatedly, until the request to stop is sent or a closure fails.
    ///
    /// Calls `sync` at the times of the schedule, and `deliver` after each sync. If the next attempt of one of these
    /// consumers is due before the next sync, `deliver` is called then, too. A closure that returns `Ok` after a failed call
    /// of the service or a failed delivery continues with the next one.
    ///
    /// # Errors
    ///
    /// Those of the closures, and those of the store.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::io::stdout;
    /// use std::time::Duration;
    ///
    /// use methodical_mirror::{Error, ErrorKind, Limits, Mirror, Ndjson, Schedule, Stop};
    ///
    /// fn watch(mirror: &mut Mirror, stop: &Stop) -> Result<(), Error> {
    ///     let schedule = Schedule::every(Duration::from_secs(900));
    ///     let mut lines = Ndjson::new(stdout().lock());
    ///     let sync = |mirror: &mut Mirror| {
    ///         // Call `Mirror::sync_blocking` here, and log an error of the service.
    ///         Ok(())
    ///     };
    ///     let deliver = |mirror: &Mirror| match mirror.deliver("lines", &mut lines, &Limits::new().stop(stop)) {
    ///         Err(error) if error.kind() == ErrorKind::Delivery => {
    ///             eprintln!("{error}");
    ///             Ok(())
    ///         }
    ///         result => result.map(drop),
    ///     };
    ///     mirror.follow(schedule, stop, &["lines"], sync, deliver)
    /// }
    /// ```
    pub fn follow<E: From<Error>>(
        &mut self,
        mut schedule: Schedule,
        stop: &Stop,
        consumers: &[&str],
        mut sync: impl FnMut(&mut Self) -> Result<(), E>,
        mut deliver: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            match schedule.wait(stop, self.next_attempt(consumers)?) {
                Due::Sync => sync(self)?,
                Due::Delivery => {}
                Due::Stop => return Ok(()),
            }
            if stop.is_requested() {
                return Ok(());
            }
            deliver(self)?;
        }
    }

    /// Returns the time until the next attempt of one of these consumers.
    fn next_attempt(&self, consumers: &[&str]) -> Result<Option<Duration>, Error> {
        let now = now(&self.clock);
        let all = lock(&self.store).consumers()?.into_iter();
        let waits = all.filter(|one| one.disabled_at.is_none() && consumers.contains(&&*one.name));
        let due = waits.filter_map(|one| one.next_attempt_at).min();
        let left = due.map(|due| u64::try_from(due.saturating_sub(now)).unwrap_or_default());
        Ok(left.map(|left| Duration::from_secs(left).max(SHORTEST_WAIT)))
    }
}

/// Minimum wait for an attempt, also if `deliver` does not attempt it.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

//! The clock of all tasks that wait: one thread, while there are any, that wakes each of them in its time.
//!
//! A timer of a runtime would tie the client to it. The crates that are tied to none, `futures-timer` and `async-io`,
//! panic where no thread can be made, and keep theirs for ever.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use std::{io, thread};

/// The clock of this process.
pub(super) static CLOCK: Clock = Clock::new(IDLE, start);

/// Wakes tasks.
pub(super) struct Clock {
    waits: Mutex<Waits>,
    /// There is an earlier end than the thread knows of, or none any more.
    changed: Condvar,
    idle: Duration,
    start: fn(&'static Self) -> io::Result<()>,
}

struct Waits {
    /// Whom to wake and when. The number tells tasks with the same end apart.
    tasks: BTreeMap<(Instant, usize), Waker>,
    has_thread: bool,
}

impl Clock {
    const fn new(idle: Duration, start: fn(&'static Self) -> io::Result<()>) -> Self {
        let waits = Mutex::new(Waits { tasks: BTreeMap::new(), has_thread: false });
        Self { waits, changed: Condvar::new(), idle, start }
    }

    /// Has the task woken, in place of the one that had this key. Returns false if there is no thread to do so.
    fn insert(&'static self, key: (Instant, usize), task: Waker) -> bool {
        let mut waits = self.waits();
        let is_first = waits.tasks.keys().next().is_none_or(|first| key < *first);
        let replaced = waits.tasks.insert(key, task);
        if !waits.has_thread {
            waits.has_thread = (self.start)(self).is_ok();
        } else if is_first {
            self.changed.notify_one();
        }
        let has_thread = waits.has_thread;
        // A waker may own a task, and with it a wait: without the lock, that one can be taken away, too.
        drop(waits);
        drop(replaced);
        has_thread
    }

    fn remove(&self, key: (Instant, usize)) {
        let mut waits = self.waits();
        let removed = waits.tasks.remove(&key);
        if waits.tasks.is_empty() {
            self.changed.notify_one();
        }
        drop(waits);
        drop(removed);
    }

    /// Wakes tasks in their time, until for a while there have been none.
    fn run(&self) {
        let mut waits = self.waits();
        loop {
            let now = Instant::now();
            let Some((end, _)) = waits.tasks.keys().next().copied() else {
                let (guard, is_idle) = self.wait(waits, self.idle);
                waits = guard;
                if is_idle && waits.tasks.is_empty() {
                    waits.has_thread = false;
                    return;
                }
                continue;
            };
            if now < end {
                waits = self.wait(waits, end - now).0;
                continue;
            }
            let task = waits.tasks.pop_first();
            drop(waits);
            if let Some((_, task)) = task {
                // The others are woken even if one cannot be.
                let _panicked = catch_unwind(AssertUnwindSafe(|| task.wake()));
            }
            waits = self.waits();
        }
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, and says whether the time was over before.
    fn wait<'a>(
        &self,
        waits: MutexGuard<'a, Waits>,
        limit: Duration,
    ) -> (MutexGuard<'a, Waits>, bool) {
        let waited = self.changed.wait_timeout(waits, limit);
        let (waits, is_over) = waited.unwrap_or_else(PoisonError::into_inner);
        (waits, is_over.timed_out())
    }
}

/// Is ready at its end.
pub(super) struct Until {
    clock: &'static Clock,
    key: (Instant, usize),
    is_waiting: bool,
}

impl Until {
    pub(super) fn new(clock: &'static Clock, end: Instant) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { clock, key: (end, NEXT.fetch_add(1, Ordering::Relaxed)), is_waiting: false }
    }
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let left = self.key.0.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Poll::Ready(());
        }
        self.is_waiting = true;
        if !self.clock.insert(self.key, context.waker().clone()) {
            // The task is all there is to keep the time with. It waits a little, and lets others have their turn.
            rest(left.min(REST));
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        if self.is_waiting {
            self.clock.remove(self.key);
        }
    }
}

fn start(clock: &'static Clock) -> io::Result<()> {
    thread::Builder::new().name("gateway-client-timer".to_owned()).spawn(|| clock.run()).map(drop)
}

#[expect(
    clippy::disallowed_methods,
    reason = "without a thread there is nothing else to wait with"
)]
fn rest(time: Duration) {
    thread::sleep(time);
}

/// How long the thread stays when nobody waits, so that a wait soon after needs no new one.
const IDLE: Duration = Duration::from_secs(1);

/// How long a task holds up the thread it runs on, if there is no other to keep the time.
const REST: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, JoinHandle};
    use std::time::{Duration, Instant};

    use super::{Clock, Until, start};

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60 * 60);

    fn poll_once(wait: &mut Until, waker: &Waker) -> Poll<()> {
        Pin::new(wait).poll(&mut Context::from_waker(waker))
    }

    #[test]
    fn all_tasks_have_one_thread() {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        static CLOCK: Clock = Clock::new(LATE, |clock| {
            THREADS.fetch_add(1, Ordering::Relaxed);
            start(clock)
        });
        let end = Instant::now() + LATE;
        let mut waits: Vec<_> = (0..2000).map(|_| Until::new(&CLOCK, end)).collect();
        for wait in &mut waits {
            assert!(poll_once(wait, Waker::noop()).is_pending());
            assert!(poll_once(wait, Waker::noop()).is_pending());
        }
        assert_eq!(CLOCK.waits().tasks.len(), 2000);
        // An end before all the others is kept, too.
        pollster::block_on(Until::new(&CLOCK, Instant::now() + SOON));
        drop(waits);
        assert!(CLOCK.waits().tasks.is_empty());
        assert_eq!(THREADS.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_thread_ends_when_nobody_waits_and_another_comes_when_somebody_does() {
        static THREADS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());
        static CLOCK: Clock = Clock::new(Duration::ZERO, |clock| {
            THREADS.lock().unwrap().push(thread::spawn(|| clock.run()));
            Ok(())
        });
        for _ in 0..2 {
            pollster::block_on(Until::new(&CLOCK, Instant::now() + SOON));
            for thread in std::mem::take(&mut *THREADS.lock().unwrap()) {
                thread.join().unwrap();
            }
            assert!(!CLOCK.waits().has_thread);
        }
        // A wait that is given up does not keep the thread, either.
        let mut wait = Until::new(&CLOCK, Instant::now() + LATE);
        assert!(poll_once(&mut wait, Waker::noop()).is_pending());
        drop(wait);
        THREADS.lock().unwrap().pop().unwrap().join().unwrap();
    }

    #[test]
    fn without_a_thread_the_time_is_kept_all_the_same() {
        static CLOCK: Clock = Clock::new(LATE, |_| Err(io::ErrorKind::WouldBlock.into()));
        let start = Instant::now();
        pollster::block_on(Until::new(&CLOCK, start + SOON));
        assert!(start.elapsed() >= SOON);
        assert!(CLOCK.waits().tasks.is_empty());
    }

    #[test]
    fn a_task_that_cannot_be_woken_does_not_hold_up_the_others() {
        struct Broken;

        impl Wake for Broken {
            fn wake(self: Arc<Self>) {
                assert_eq!(1, 2, "on purpose");
            }
        }

        static CLOCK: Clock = Clock::new(LATE, start);
        let now = Instant::now();
        let mut broken = Until::new(&CLOCK, now + SOON);
        assert!(poll_once(&mut broken, &Waker::from(Arc::new(Broken))).is_pending());
        pollster::block_on(Until::new(&CLOCK, now + 2 * SOON));
        assert!(CLOCK.waits().has_thread);
    }
}

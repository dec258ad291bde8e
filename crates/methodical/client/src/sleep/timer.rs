//! The timer of all sleeping tasks: one thread that wakes each task at its time, and ends when no task sleeps.
//!
//! The timer of a runtime would tie the client to that runtime. The independent crates `futures-timer` and `async-io` panic
//! if no thread can be started, and never end their thread.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use std::{io, thread};

use gateway_transport::Instant;

use crate::lock::unpoisoned;

/// Returns a future that is ready at `end`.
pub(super) fn sleep_until(end: Instant) -> Sleep {
    Sleep::new(&TIMER, end)
}

/// The timer of this process.
static TIMER: Timer = Timer::new(IDLE, start);

/// Wakes sleeping tasks.
struct Timer {
    sleepers: Mutex<Sleepers>,
    /// Signals that the earliest end is earlier than before, or that no task sleeps any more.
    changed: Condvar,
    idle: Duration,
    start: fn(&'static Self) -> io::Result<()>,
}

struct Sleepers {
    /// The tasks by their end. The number distinguishes tasks with the same end.
    tasks: BTreeMap<(Instant, usize), Waker>,
    has_thread: bool,
}

impl Timer {
    const fn new(idle: Duration, start: fn(&'static Self) -> io::Result<()>) -> Self {
        let sleepers = Mutex::new(Sleepers { tasks: BTreeMap::new(), has_thread: false });
        Self { sleepers, changed: Condvar::new(), idle, start }
    }

    /// Adds a task, or replaces the one with the same key. Returns false if the thread cannot be started.
    fn insert(&'static self, key: (Instant, usize), task: Waker) -> bool {
        let mut sleepers = self.sleepers();
        let is_first = sleepers.tasks.keys().next().is_none_or(|first| key < *first);
        let replaced = sleepers.tasks.insert(key, task);
        if !sleepers.has_thread {
            sleepers.has_thread = (self.start)(self).is_ok();
        } else if is_first {
            self.changed.notify_one();
        }
        let has_thread = sleepers.has_thread;
        // A waker may own a task that itself sleeps, and dropping that task calls `remove`: unlock first.
        drop(sleepers);
        drop(replaced);
        has_thread
    }

    fn remove(&self, key: (Instant, usize)) {
        let mut sleepers = self.sleepers();
        let removed = sleepers.tasks.remove(&key);
        if sleepers.tasks.is_empty() {
            self.changed.notify_one();
        }
        drop(sleepers);
        drop(removed);
    }

    /// Wakes tasks at their time, until there have been none for the idle time.
    fn run(&self) {
        let mut sleepers = self.sleepers();
        loop {
            let now = Instant::now();
            let Some((end, _)) = sleepers.tasks.keys().next().copied() else {
                let (guard, is_idle) = self.wait(sleepers, self.idle);
                sleepers = guard;
                if is_idle && sleepers.tasks.is_empty() {
                    sleepers.has_thread = false;
                    return;
                }
                continue;
            };
            if now < end {
                sleepers = self.wait(sleepers, end - now).0;
                continue;
            }
            let task = sleepers.tasks.pop_first();
            drop(sleepers);
            if let Some((_, task)) = task {
                // If one waker panics, the other tasks are still woken.
                let _panicked = catch_unwind(AssertUnwindSafe(|| task.wake()));
            }
            sleepers = self.sleepers();
        }
    }

    fn sleepers(&self) -> MutexGuard<'_, Sleepers> {
        unpoisoned(self.sleepers.lock())
    }

    /// Waits for a change, and returns whether `limit` passed without one.
    fn wait<'a>(
        &self,
        sleepers: MutexGuard<'a, Sleepers>,
        limit: Duration,
    ) -> (MutexGuard<'a, Sleepers>, bool) {
        let (sleepers, result) = unpoisoned(self.changed.wait_timeout(sleepers, limit));
        (sleepers, result.timed_out())
    }
}

/// A future that is ready at its end.
pub(super) struct Sleep {
    timer: &'static Timer,
    key: (Instant, usize),
    is_registered: bool,
}

impl Sleep {
    fn new(timer: &'static Timer, end: Instant) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { timer, key: (end, NEXT.fetch_add(1, Ordering::Relaxed)), is_registered: false }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let left = self.key.0.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Poll::Ready(());
        }
        self.is_registered = true;
        if !self.timer.insert(self.key, context.waker().clone()) {
            // Without the timer thread, the task itself keeps the time: it blocks briefly and yields.
            block_briefly(left.min(PAUSE));
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.is_registered {
            self.timer.remove(self.key);
        }
    }
}

fn start(timer: &'static Timer) -> io::Result<()> {
    thread::Builder::new().name("gateway-client-timer".to_owned()).spawn(|| timer.run()).map(drop)
}

#[expect(
    clippy::disallowed_methods,
    reason = "without the timer thread, only blocking can keep the time"
)]
fn block_briefly(time: Duration) {
    thread::sleep(time);
}

/// Time that the thread stays when no task sleeps, so that the next sleep needs no new thread.
const IDLE: Duration = Duration::from_secs(1);

/// Time that a task blocks its thread if the timer thread cannot be started.
const PAUSE: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, JoinHandle};
    use std::time::{Duration, Instant};

    use super::{Sleep, Timer, start};

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60 * 60);

    fn poll_once(sleep: &mut Sleep, waker: &Waker) -> Poll<()> {
        Pin::new(sleep).poll(&mut Context::from_waker(waker))
    }

    #[test]
    fn all_tasks_share_one_thread() {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        static TIMER: Timer = Timer::new(LATE, |timer| {
            THREADS.fetch_add(1, Ordering::Relaxed);
            start(timer)
        });
        let end = Instant::now() + LATE;
        let mut sleeps: Vec<_> = (0..2000).map(|_| Sleep::new(&TIMER, end)).collect();
        for sleep in &mut sleeps {
            assert!(poll_once(sleep, Waker::noop()).is_pending());
            assert!(poll_once(sleep, Waker::noop()).is_pending());
        }
        assert_eq!(TIMER.sleepers().tasks.len(), 2000);
        // An end before all the others works as well.
        pollster::block_on(Sleep::new(&TIMER, Instant::now() + SOON));
        drop(sleeps);
        assert!(TIMER.sleepers().tasks.is_empty());
        assert_eq!(THREADS.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_thread_ends_when_idle_and_is_started_again_when_needed() {
        static THREADS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());
        static TIMER: Timer = Timer::new(Duration::ZERO, |timer| {
            THREADS.lock().unwrap().push(thread::spawn(|| timer.run()));
            Ok(())
        });
        for _ in 0..2 {
            pollster::block_on(Sleep::new(&TIMER, Instant::now() + SOON));
            for thread in std::mem::take(&mut *THREADS.lock().unwrap()) {
                thread.join().unwrap();
            }
            assert!(!TIMER.sleepers().has_thread);
        }
        // A dropped sleep does not keep the thread either.
        let mut sleep = Sleep::new(&TIMER, Instant::now() + LATE);
        assert!(poll_once(&mut sleep, Waker::noop()).is_pending());
        drop(sleep);
        THREADS.lock().unwrap().pop().unwrap().join().unwrap();
    }

    #[test]
    fn a_sleep_ends_on_time_without_a_thread() {
        static TIMER: Timer = Timer::new(LATE, |_| Err(io::ErrorKind::WouldBlock.into()));
        let start = Instant::now();
        pollster::block_on(Sleep::new(&TIMER, start + SOON));
        assert!(start.elapsed() >= SOON);
        assert!(TIMER.sleepers().tasks.is_empty());
    }

    #[test]
    fn a_waker_that_panics_does_not_stop_the_others() {
        struct Broken;

        impl Wake for Broken {
            fn wake(self: Arc<Self>) {
                assert_eq!(1, 2, "on purpose");
            }
        }

        static TIMER: Timer = Timer::new(LATE, start);
        let now = Instant::now();
        let mut broken = Sleep::new(&TIMER, now + SOON);
        assert!(poll_once(&mut broken, &Waker::from(Arc::new(Broken))).is_pending());
        pollster::block_on(Sleep::new(&TIMER, now + 2 * SOON));
        assert!(TIMER.sleepers().has_thread);
    }
}

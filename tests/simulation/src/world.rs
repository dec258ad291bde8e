//! A world: virtual time, the wall clock, a trace, and everything random of one seed.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use fastrand::Rng;
use gateway_transport::simulated::{self, Time};
use gateway_transport::{BoxFuture, Instant};
use tokio::runtime::Builder;
use tokio::time::{self, sleep_until};

/// A world. Clones share it.
#[derive(Clone)]
pub(crate) struct World(Arc<Inner>);

struct Inner {
    start: time::Instant,
    state: Mutex<State>,
}

struct State {
    random: Rng,
    /// The wall clock minus the virtual time.
    date: SystemTime,
    trace: Vec<String>,
    violations: Vec<String>,
}

/// The end of a world.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The events in order, each line with its virtual time in milliseconds.
    pub(crate) trace: Vec<String>,
    /// The invariants that did not hold.
    pub(crate) violations: Vec<String>,
}

impl World {
    /// Runs `story` in a new world until it ends. The seed decides everything that happens.
    pub(crate) fn run<F: Future<Output = ()>>(seed: u64, story: impl FnOnce(Self) -> F) -> Outcome {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        #[expect(clippy::expect_used, reason = "a simulation that cannot start has failed")]
        let runtime = runtime.expect("a runtime");
        // The jitter of the client is drawn from the generator of the thread.
        fastrand::seed(seed);
        runtime.block_on(async {
            let random = Rng::with_seed(seed);
            let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
            let state = State { random, date, trace: Vec::new(), violations: Vec::new() };
            let start = time::Instant::now();
            let world = Self(Arc::new(Inner { start, state: Mutex::new(state) }));
            let simulated = simulated::simulate(Arc::new(Virtual(world.clone())));
            story(world.clone()).await;
            drop(simulated);
            let mut state = world.state();
            let (trace, violations) =
                (std::mem::take(&mut state.trace), std::mem::take(&mut state.violations));
            Outcome { trace, violations }
        })
    }

    /// Returns a separate generator, so that one part of a run does not change the numbers of the others.
    pub(crate) fn fork(&self) -> Rng {
        self.state().random.fork()
    }

    /// Returns the virtual time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.start.elapsed()
    }

    /// Returns the wall clock.
    pub(crate) fn date(&self) -> SystemTime {
        self.state().date + self.elapsed()
    }

    /// Sets the wall clock to another time, `seconds` later or earlier.
    pub(crate) fn jump(&self, seconds: i64) {
        let mut state = self.state();
        let by = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 {
            state.date -= by;
        } else {
            state.date += by;
        }
    }

    /// Adds a line to the trace.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        let mut line = String::new();
        let at = self.elapsed();
        write!(line, "{:>9.3} {}", at.as_secs_f64(), text.as_ref()).unwrap_or_default();
        self.state().trace.push(line);
    }

    /// Records a violation if an invariant does not hold.
    pub(crate) fn check(&self, holds: bool, violation: impl FnOnce() -> String) {
        if !holds {
            let text = violation();
            self.note(format!("VIOLATION {text}"));
            self.state().violations.push(text);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }
}

/// Waits in virtual time.
pub(crate) async fn pause(delay: Duration) {
    time::sleep(delay).await;
}

/// The time of the thread that runs the world.
struct Virtual(World);

impl Time for Virtual {
    fn now(&self) -> Instant {
        time::Instant::now().into_std()
    }

    fn date(&self) -> SystemTime {
        self.0.date()
    }

    fn sleep_until(&self, end: Instant) -> BoxFuture<'static, ()> {
        Box::pin(sleep_until(end.into()))
    }

    fn block_until(&self, _end: Instant) {
        self.0.check(false, || "the thread of the world was blocked".to_owned());
    }
}

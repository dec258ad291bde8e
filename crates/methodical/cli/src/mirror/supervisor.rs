//! Messages to systemd, or to another supervisor that sets `NOTIFY_SOCKET` (`sd_notify(3)`). Without one, nothing is sent.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use methodical_mirror::Stop;
use sd_notify::NotifyState;

use crate::lock::lock;

/// A program that a supervisor watches.
#[derive(Debug)]
pub(crate) struct Supervised {
    /// The watchdog is fed until this time.
    alive_until: Arc<Mutex<Instant>>,
}

impl Supervised {
    /// Starts to feed the watchdog, if the supervisor has one.
    pub(crate) fn start() -> Self {
        let alive_until = Arc::new(Mutex::new(Instant::now() + WORK));
        if let Some(interval) = sd_notify::watchdog_enabled() {
            let until = Arc::clone(&alive_until);
            // Without the thread, the supervisor restarts the program.
            drop(thread::Builder::new().name("watchdog".into()).spawn(move || {
                loop {
                    if Instant::now() < *lock(&until) {
                        send(NotifyState::Watchdog);
                    }
                    Stop::new().wait_until(Instant::now() + interval / 2);
                }
            }));
        }
        Self { alive_until }
    }

    /// Reports what the program does, and for how long it may do nothing else than wait.
    pub(crate) fn status(&self, text: &str, wait: Duration) {
        *lock(&self.alive_until) = Instant::now() + wait + WORK;
        send(NotifyState::Status(text));
    }
}

/// Reports that the program is ready.
pub(crate) fn ready() {
    send(NotifyState::Ready);
}

/// Reports that the program has begun to stop.
pub(crate) fn stopping() {
    send(NotifyState::Stopping);
}

/// A supervisor that cannot be reached notices that by itself, so a failure is ignored.
fn send(state: NotifyState<'_>) {
    drop(sd_notify::notify(&[state]));
}

/// Maximum time of one sync with its deliveries. After it, the watchdog is no longer fed.
const WORK: Duration = Duration::from_secs(4 * 60 * 60);

//! The signals that end a program on Unix.

use std::{io, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// Calls `end` on a signal.
pub(super) fn watch(end: impl Fn(Exit) + Send + 'static) -> io::Result<()> {
    let ignored = ignored();
    let watched = ENDS.iter().map(|&(signal, _)| signal).filter(|signal| {
        // A signal that was ignored at the start stays ignored, as `nohup` intends.
        ignored & (1 << (signal - 1)) == 0
    });
    let mut signals = Signals::new(watched)?;
    let wait = move || {
        for signal in signals.forever() {
            if let Some(&(_, exit)) = ENDS.iter().find(|(known, _)| *known == signal) {
                end(exit);
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Returns the signals that were ignored when the program started, as a bit mask.
#[cfg(target_os = "linux")]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(NOHUP)
}

/// Elsewhere, only unsafe code can find out, so SIGHUP stays unhandled: a temporary file left behind does less harm than
/// ending a program that `nohup` should protect.
#[cfg(not(target_os = "linux"))]
fn ignored() -> u64 {
    NOHUP
}

const NOHUP: u64 = 1 << (SIGHUP - 1);

const ENDS: [(i32, Exit); 3] =
    [(SIGHUP, Exit::HungUp), (SIGINT, Exit::Interrupted), (SIGTERM, Exit::Terminated)];

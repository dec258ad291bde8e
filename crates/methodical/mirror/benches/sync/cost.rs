//! Measures the time and the resources that this process uses.

use std::time::{Duration, Instant};
use std::{fs, thread};

pub(crate) struct Started {
    at: Instant,
    cpu: f64,
    written: u64,
}

pub(crate) struct Cost {
    /// In seconds.
    pub(crate) time: f64,
    /// CPU time, in seconds.
    pub(crate) cpu: f64,
    /// Peak resident memory, in bytes.
    pub(crate) memory: u64,
    /// Number of bytes that were passed to write calls.
    pub(crate) written: u64,
}

impl Started {
    pub(crate) fn now() -> Self {
        // Resets the peak memory.
        drop(fs::write("/proc/self/clear_refs", "5"));
        Self { at: Instant::now(), cpu: cpu(), written: written() }
    }

    pub(crate) fn end(&self) -> Cost {
        Cost {
            time: self.at.elapsed().as_secs_f64(),
            cpu: cpu() - self.cpu,
            memory: number_in("/proc/self/status", "VmHWM:") << 10,
            written: written() - self.written,
        }
    }
}

/// Returns the CPU time of all threads of this process, in seconds.
fn cpu() -> f64 {
    // The kernel adds the time of a thread when it stops.
    thread::park_timeout(Duration::from_millis(1));
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}

/// Returns the number of bytes that this process has passed to write calls.
fn written() -> u64 {
    number_in("/proc/self/io", "wchar:")
}

fn number_in(path: &str, name: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

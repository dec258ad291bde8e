//! The time and the counters of this process.

use std::time::Instant;

/// The cost of some work of this process.
pub(crate) struct Cost {
    started: Instant,
    cpu: f64,
    written: u64,
}

impl Cost {
    pub(crate) fn start() -> Self {
        // Resets the peak of the memory.
        drop(std::fs::write("/proc/self/clear_refs", "5"));
        Self { started: Instant::now(), cpu: cpu("self"), written: written() }
    }

    pub(crate) fn print(&self, size: u64, name: &str, also: &str) {
        println!(
            "{size:>9}  {name:38} {:>6.2} s {:>6.2} s {:>7} MiB {:>7} MiB{also}",
            self.started.elapsed().as_secs_f64(),
            cpu("self") - self.cpu,
            number_in("/proc/self/status", "VmHWM:") >> 10,
            (written() - self.written) >> 20
        );
    }
}

/// Returns the processor time of a process, in seconds. The kernel counts it in hundredths.
pub(crate) fn cpu(process: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = after_name.skip(11).take(2).filter_map(|number| number.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Returns the bytes that this process has passed to write calls.
fn written() -> u64 {
    number_in("/proc/self/io", "wchar:")
}

fn number_in(path: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

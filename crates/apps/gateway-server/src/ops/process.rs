//! Metrics of the process, with the names that Prometheus gives them. Linux only: elsewhere only the limit of open files
//! is there.

use std::fs::{read_dir, read_to_string};

use rustix::process::{Resource, getrlimit};

use crate::exposition::Exposition;

/// Writes the metrics of this process.
pub(super) fn write(out: &mut Exposition) {
    if let Ok(status) = read_to_string("/proc/self/status") {
        let bytes = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        if let Some(resident) = bytes("VmRSS:") {
            out.gauge("process_resident_memory_bytes", "Resident memory.", resident);
        }
        if let Some(size) = bytes("VmSize:") {
            out.gauge("process_virtual_memory_bytes", "Virtual memory.", size);
        }
    }
    if let Ok(times) = read_to_string("/proc/self/stat") {
        // The name of the program, in parentheses, may contain spaces. The state follows, which is field 3.
        let fields = times.rsplit_once(')').map_or("", |(_, fields)| fields);
        let seconds = |number: usize| -> Option<f64> {
            Some(fields.split_whitespace().nth(number - 3)?.parse::<f64>().ok()? / TICKS)
        };
        if let (Some(user), Some(system)) = (seconds(14), seconds(15)) {
            out.counter("process_cpu_seconds_total", "CPU time, user and system.", user + system);
        }
        if let (Some(started), Some(booted)) = (seconds(22), boot_time()) {
            let help = "Start of the process, in seconds since 1970.";
            out.gauge("process_start_time_seconds", help, booted + started);
        }
    }
    if let Ok(open) = read_dir("/proc/self/fd") {
        // One of them reads the directory.
        let open = open.count().saturating_sub(1);
        out.gauge("process_open_fds", "Open file descriptors.", open);
    }
    if let Some(limit) = getrlimit(Resource::Nofile).current {
        out.gauge("process_max_fds", "Limit of open file descriptors.", limit);
    }
}

/// Returns when the system started, in seconds since 1970.
fn boot_time() -> Option<f64> {
    let stat = read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// Ticks per second of the times in `/proc`: 100 on every architecture that Rust supports (`USER_HZ`).
const TICKS: f64 = 100.0;

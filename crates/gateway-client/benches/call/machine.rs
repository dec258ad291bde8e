//! CPU time of this process, and processor affinity, on Linux.

use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU time that all threads of this process have used. Other programs have little effect on it.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanoseconds)
}

/// Pins this process to the first of its processors.
///
/// On loopback, the kernel does part of one side's work in the CPU time of the other. The size of that part depends on
/// the processors of the two sides; with one processor for each, it is the same in every round.
pub(crate) fn stay_on_first() {
    stay_on(processors().next());
}

/// Pins this process to the last of its processors.
pub(crate) fn stay_on_last() {
    stay_on(processors().last());
}

fn processors() -> impl Iterator<Item = usize> {
    let set = sched_getaffinity(None).expect("every process has processors");
    (0..CpuSet::MAX_CPU).filter(move |processor| set.is_set(*processor))
}

fn stay_on(processor: Option<usize>) {
    let mut set = CpuSet::new();
    set.set(processor.expect("every process has a processor"));
    sched_setaffinity(None, &set).expect("a process may reduce its processors");
}

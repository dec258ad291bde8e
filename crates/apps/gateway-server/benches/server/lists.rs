//! Measures long lists.

use crate::process::{Server, median};

/// Measures the whole `candidates/list`, and the same list from the axum program, in turn.
pub(crate) fn measure(database: &str, token: &str) {
    let (ours, axum) = (Server::start(database, &[]), Server::axum(database));
    let (bytes, of_axum) = (ours.list(token), axum.list(token));
    assert!(bytes.abs_diff(of_axum) < 1024, "{bytes} and {of_axum} bytes");
    let before = ours.memory("VmRSS:");
    let mut rates: [Vec<f64>; 2] = Default::default();
    let mut ratios = Vec::new();
    for _ in 0..7 {
        let pair = [axum.rate(token), ours.rate(token)];
        ratios.push(pair[1] / pair[0]);
        rates[0].push(pair[0]);
        rates[1].push(pair[1]);
    }
    let growth = ours.memory("VmHWM:").saturating_sub(before);
    println!("  growth of the resident memory over the lists: {growth} KiB");
    let [axum, ours] = rates.map(median);
    println!(
        "list of {} MB, MB/s (medians of 7): axum {axum:.0}, ours {ours:.0}; median of the ratios {:.2}",
        bytes / 1_000_000,
        median(ratios)
    );
}

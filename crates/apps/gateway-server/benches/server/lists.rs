//! Long lists.

use std::path::Path;

use crate::process::{Server, median};

/// Measures the whole `candidates/list`, and the same bytes from memory through axum.
pub(crate) fn measure(database: &str, token: &str, directory: &Path) {
    let file = directory.join("list.json");
    let server = Server::start(database, &[]);
    let (bytes, body) = server.list(token, true);
    std::fs::write(&file, &body).unwrap();
    drop(body);
    let axum = Server::axum(file.to_str().unwrap());
    let before = server.memory("VmRSS:");
    let mut rates: [Vec<f64>; 2] = Default::default();
    for _ in 0..5 {
        rates[0].push(axum.rate(""));
        rates[1].push(server.rate(token));
    }
    let growth = server.memory("VmHWM:").saturating_sub(before);
    println!("  growth of the resident memory over five lists: {growth} KiB");
    let [axum, ours] = rates.map(median);
    println!(
        "list of {} MB, MB/s (medians of 5): axum from memory {axum:.0}, ours {ours:.0} = {:.0} %",
        bytes / 1_000_000,
        100.0 * ours / axum
    );
}

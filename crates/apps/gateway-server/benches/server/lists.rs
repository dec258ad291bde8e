//! Long lists.

use std::path::Path;

use crate::process::{Server, median};

/// Measures the whole `candidates/list`, from the database and from the list cache, and the same bytes from memory
/// through axum.
pub(crate) fn measure(database: &str, token: &str, directory: &Path) {
    let file = directory.join("list.json");
    let plain = Server::start(database, &["--list-cache", "0"]);
    let (bytes, body) = plain.list(token, true);
    std::fs::write(&file, &body).unwrap();
    drop(body);
    let axum = Server::axum(file.to_str().unwrap());
    let mut rates: [Vec<f64>; 5] = Default::default();
    for _ in 0..5 {
        let fresh = Server::start(database, &["--list-cache", "4096"]);
        let before = fresh.memory("VmRSS:");
        rates[0].push(axum.rate(""));
        rates[1].push(plain.rate(token));
        rates[2].push(fresh.rate(token));
        rates[3].push(fresh.rate(token));
        rates[4].push(fresh.rate(token));
        let growth = fresh.memory("VmHWM:").saturating_sub(before);
        println!("  growth of the resident memory over three lists: {growth} KiB");
    }
    let [axum, plain, first, second, cached] = rates.map(median);
    println!("list of {} MB, MB/s (medians of 5): axum from memory {axum:.0}", bytes / 1_000_000);
    for (name, rate) in [
        ("no cache", plain),
        ("first", first),
        ("second, being cached", second),
        ("cached", cached),
    ] {
        println!("  {name}: {rate:.0} = {:.0} % of axum", 100.0 * rate / axum);
    }
}

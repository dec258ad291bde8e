//! Measures small responses.

use crate::process::{Server, median};

/// Measures `credits/get` over 16 connections, and the same from the axum program, in turn.
pub(crate) fn measure(database: &str, token: &str) {
    let (ours, axum) = (Server::start(database, &[]), Server::axum(database));
    let mut rates: [Vec<f64>; 2] = Default::default();
    let (mut ratios, mut cpus) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        let pair = [axum.requests(token, 16), ours.requests(token, 16)];
        ratios.push(pair[1].0 / pair[0].0);
        cpus.push(pair[0].2 / pair[1].2);
        rates[0].push(pair[0].0);
        rates[1].push(pair[1].0);
    }
    let [axum, ours] = rates.map(median);
    println!(
        "credits/get, requests/s (medians of 7, 16 connections): axum {axum:.0}, ours {ours:.0}; \
         medians of the ratios: requests {:.2}, CPU time {:.2}",
        median(ratios),
        median(cpus)
    );
}

//! Small responses.

use crate::process::{Server, median};

/// Measures `credits/get`, including the check of the token, and a constant body through axum.
pub(crate) fn measure(database: &str, token: &str) {
    let ours = Server::start(database, &[]);
    let axum = Server::axum("");
    let mut rates: [Vec<f64>; 2] = Default::default();
    for _ in 0..3 {
        rates[0].push(axum.requests(token, 16).0);
        rates[1].push(ours.requests(token, 16).0);
    }
    let [axum, ours] = rates.map(median);
    println!(
        "small responses, requests/s (medians of 3, 16 connections): axum {axum:.0}, credits/get {ours:.0} = {:.0} %",
        100.0 * ours / axum
    );
}

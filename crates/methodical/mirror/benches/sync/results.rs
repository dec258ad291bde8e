//! The table of the results, in Markdown.

use crate::cost::Cost;

/// The results for a list of one length: the processor times that others are compared with, in seconds.
#[derive(Default)]
pub(crate) struct Results {
    /// The list as NDJSON.
    pub(crate) list: f64,
    /// The insertion of the same rows.
    pub(crate) bare: f64,
}

/// The work that another one is compared with.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    List,
    Bare,
    None,
}

impl Results {
    /// Prints the head of the table.
    pub(crate) fn begin(size: u64) -> Self {
        println!("\n| {size} records | time | CPU | ratio | peak memory | written |");
        println!("|---|--:|--:|--:|--:|--:|");
        Self::default()
    }

    /// Prints a row. Returns the processor time.
    pub(crate) fn add(&self, name: &str, cost: &Cost, reference: Reference) -> f64 {
        let ratio = match reference {
            Reference::List => format!("{:.2} × the list", cost.cpu / self.list),
            Reference::Bare => format!("{:.2} × the bare", cost.cpu / self.bare),
            Reference::None => String::new(),
        };
        let (memory, written) = (cost.memory >> 20, cost.written >> 20);
        println!(
            "| {name} | {:.2} s | {:.2} s | {ratio} | {memory} MiB | {written} MiB |",
            cost.time, cost.cpu
        );
        cost.cpu
    }
}

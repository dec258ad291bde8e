//! The tables of the results, in Markdown.

use crate::cost::Cost;

/// The results for lists of several lengths.
#[derive(Default)]
pub(crate) struct Results {
    rows: Vec<Row>,
    notes: Vec<String>,
}

struct Row {
    size: u64,
    name: String,
    /// Processor time of this process and the database, in seconds.
    cpu: f64,
}

/// The work that another one is compared with.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    /// The list as NDJSON.
    List,
    /// The insertion of the same rows by this work.
    Bare(&'static str),
    None,
}

impl Results {
    /// Prints the head of the table for lists of one length.
    pub(crate) fn begin(size: u64) {
        println!(
            "\n| {size} records | time | CPU | of it, the database | ratio | peak memory | written |\n\
             |---|--:|--:|--:|--:|--:|--:|"
        );
    }

    /// Prints a row. `database` is the processor time of another process, in seconds.
    pub(crate) fn add(
        &mut self,
        size: u64,
        name: &str,
        cost: &Cost,
        database: f64,
        reference: Reference,
    ) {
        let cpu = cost.cpu + database;
        let reference = match reference {
            Reference::List => Some((LIST, "list")),
            Reference::Bare(name) => Some((name, "bare")),
            Reference::None => None,
        };
        let ratio = reference.and_then(|(name, what)| {
            Some(format!("{:.2} × the {what}", cpu / self.cpu(size, name)?))
        });
        println!(
            "| {name} | {:.2} s | {cpu:.2} s | {database:.2} s | {} | {} MiB | {} MiB |",
            cost.time,
            ratio.unwrap_or_default(),
            cost.memory >> 20,
            cost.written >> 20
        );
        self.rows.push(Row { size, name: name.to_owned(), cpu });
    }

    /// Keeps a sentence for the end.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn cpu(&self, size: u64, name: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.size == size && row.name == name);
        row.map(|row| row.cpu)
    }

    /// Prints the processor time of a record, in lists of all lengths, and the notes.
    pub(crate) fn print_growth(&self, sizes: &[u64]) {
        let heads: Vec<String> = sizes.iter().map(u64::to_string).collect();
        println!("\n| CPU of a record, in µs | {} |", heads.join(" | "));
        println!("|---|{}", "--:|".repeat(sizes.len()));
        let Some(first) = sizes.first() else { return };
        for row in self.rows.iter().filter(|row| row.size == *first) {
            let cells: Vec<String> = sizes
                .iter()
                .filter_map(|&size| Some((size, self.cpu(size, &row.name)?)))
                .map(|(size, cpu)| format!("{:.2}", cpu * 1e6 / size as f64))
                .collect();
            println!("| {} | {} |", row.name, cells.join(" | "));
        }
        println!("\n{}", self.notes.join("\n"));
    }
}

/// The work of listing.
pub(crate) const LIST: &str = "list as NDJSON";

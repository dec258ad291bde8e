//! Copies a mirror of photos to a folder or an object store and writes its records to one file:
//! `cargo run --example photos -- s3://archive/photos photos.parquet`.
//!
//! With a number as the third argument, it writes that many ordinary records instead of a few unusual ones.

#![expect(clippy::print_stderr, reason = "an example prints to the terminal")]

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

use methodical_export::{Copy, ParquetStream, Place};
use methodical_mirror::model::tables::{Column, FieldType, Table};
use methodical_mirror::{Mirror, Rules, Source};

static PHOTO: Table = Table::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]).typed(FieldType::Id),
        Column::text(&["title"]).personal(),
        Column::text(&["phone"]).personal(),
        Column::text(&["taken"]).typed(FieldType::DateTime),
        Column::integer(&["size"]),
        Column::text(&["place", "id"]).typed(FieldType::Id),
        Column::text(&["place", "name"]),
    ],
);

const UNUSUAL: &[&str] = &[
    r#"{"id":"007","title":"=1+1","phone":"+48600100200","taken":"2026-11-02 06:00:00","size":7}"#,
    r#"{"id":"008","title":"two\nlines \"quoted\", 😀","phone":null,"taken":"0000-00-00 00:00:00"}"#,
    r#"{"id":"009","title":"","place":{"id":"3","name":"Żółw","zip":"0049"},"size":"big","open":[1,2.50]}"#,
    r#"{"id":"010","title":"null","taken":"1969-12-31 23:59:59","place":null,"size":-9223372036854775808}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let to = arguments.next().ok_or("the first argument is a place")?;
    let file = arguments.next().ok_or("the second argument is a file")?;
    let count: Option<u64> = arguments.next().map(|count| count.parse()).transpose()?;
    let records = || -> Box<dyn Iterator<Item = String>> {
        match count {
            None => Box::new(UNUSUAL.iter().map(|&record| record.to_owned())),
            Some(count) => Box::new((0..count).map(ordinary)),
        }
    };

    let from = cpu();
    let mut out = BufWriter::new(File::create(&file)?);
    let columns = PHOTO.columns().iter();
    let types = columns.map(|one| (one.path().join("."), Some(one.field_type())));
    let mut parquet = ParquetStream::new(&types.collect::<Vec<_>>())?;
    for record in records() {
        parquet.write(&mut out, &record)?;
    }
    parquet.finish(&mut out)?;
    out.flush()?;
    eprintln!("Parquet: {:.2} s of CPU time, {}", cpu() - from, memory());

    let from = cpu();
    let mut out = BufWriter::new(File::create(format!("{file}.ndjson"))?);
    for record in records() {
        writeln!(out, "{record}")?;
    }
    out.flush()?;
    eprintln!("NDJSON: {:.2} s of CPU time", cpu() - from);

    let from = cpu();
    let mirror = format!("{file}.db");
    let mut mirror = Mirror::open(mirror, &Source::new("https://gateway.example.com", "me"))?;
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::default())?;
    for record in records() {
        run.record(&record)?;
    }
    run.finish()?;
    eprintln!("mirror: {:.2} s of CPU time, {}", cpu() - from, memory());

    let place = Place::open(&to)?;
    for attempt in ["first", "second"] {
        let from = cpu();
        for (table, rows) in Copy::new(&[&PHOTO]).run(&mut mirror, &place)? {
            eprintln!("{attempt} copy: {rows} rows of {table}");
        }
        eprintln!("{attempt} copy: {:.2} s of CPU time, {}", cpu() - from, memory());
    }
    Ok(())
}

fn ordinary(number: u64) -> String {
    let (day, hour, place) = (number % 28 + 1, number % 24, number % 40);
    format!(
        r#"{{"id":"{number}","title":"Photo {} of the harbour","phone":"+48600{:06}","taken":"2026-10-{day:02} {hour:02}:15:00","size":{},"place":{{"id":"{place}","name":"Place {place}"}}}}"#,
        number * 7 % 100_003,
        number * 31 % 1_000_000,
        number * 997 % 5_000_000
    )
}

/// Returns the CPU time of the process so far, in seconds, or 0 if the system does not report it.
fn cpu() -> f64 {
    let schedule = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The 12th and 13th fields after the bracketed name are the user and the system time, in 1/100 s.
    let fields = schedule.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the peak memory so far, or nothing if the system does not report it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default().to_owned()
}

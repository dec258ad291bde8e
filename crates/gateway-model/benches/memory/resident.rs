//! Memory of a process while it streams a list.

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use gateway_model::{ListCandidates, ListOperation, Next};

use crate::data::{self, Variant};

/// The argument that makes this program the measured process.
pub(crate) const CHILD: &str = "--stream";

/// Measures one process per body length.
pub(crate) fn table() -> String {
    let program = std::env::current_exe().expect("this program has a path");
    let mut out =
        "| body, from 64 KiB chunks | candidates | growth of resident memory |\n".to_owned();
    out.push_str("|---|--:|--:|\n");
    for (name, bytes) in [("1 MB", "1000000"), ("100 MB", "100000000"), ("1 GB", "1000000000")] {
        let child = Command::new(&program).args([CHILD, bytes]).output().expect("it starts");
        let text = String::from_utf8_lossy(&child.stdout);
        let (candidates, growth) = text.trim().split_once(' ').expect("two numbers");
        writeln!(out, "| {name} | {candidates} | {growth} KiB |").expect("a string takes all");
    }
    out
}

/// Streams a body of about this length and prints the number of candidates and the memory growth in KiB.
pub(crate) fn stream(bytes: &str) -> ExitCode {
    let total: usize = bytes.parse().expect("a number of bytes");
    let body = data::body(Variant::Plain, 1_000_000);
    let start = body.iter().position(|byte| *byte == b'[').expect("a list") + 1;
    let (head, rest) = body.split_at(start);
    let records = rest.strip_suffix(b"]}").expect("the end of the list");
    let before = resident("VmRSS:");
    let mut decoder = ListCandidates::new().decoder();
    let mut count = 0_u64;
    let mut drain = |decoder: &mut gateway_model::StreamDecoder<_>, piece: &[u8]| {
        decoder.push(piece);
        loop {
            match decoder.next_record().expect("valid") {
                Next::Item(_) => count += 1,
                Next::NeedMore | Next::End => break,
                other => panic!("{other:?}"),
            }
        }
    };
    drain(&mut decoder, head);
    for round in 0..(total / records.len()).max(1) {
        if round > 0 {
            drain(&mut decoder, b",");
        }
        records.chunks(64 * 1024).for_each(|chunk| drain(&mut decoder, chunk));
    }
    drain(&mut decoder, b"]}");
    decoder.finish();
    assert!(matches!(decoder.next_record(), Ok(Next::End)), "the list is complete");
    println!("{count} {}", resident("VmHWM:").saturating_sub(before));
    ExitCode::SUCCESS
}

/// Returns a figure of this process in KiB, or 0 where the system does not report it.
fn resident(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

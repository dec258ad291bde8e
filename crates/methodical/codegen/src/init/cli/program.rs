//! The program prints what the service sends.
//!
//! The generator updates this file. To keep your own, delete the first line.

use std::process::Command;

#[test]
fn the_program_prints_an_example() -> std::io::Result<()> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_«name»"));
    let output = program.args(["--demo", «arguments», "--output", "json"]).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stdout.is_empty());
    Ok(())
}

//! Writes the results to the document.

use std::process::ExitCode;

/// Prints the results. With the argument `--write`, they also replace the section `place` of `docs/benchmarks.md`.
pub(crate) fn publish(place: &str, text: &str) -> ExitCode {
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write")
        && let Err(error) = write(place, text)
    {
        eprintln!("docs/benchmarks.md: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Replaces the section of `docs/benchmarks.md` between two markers.
fn write(place: &str, text: &str) -> std::io::Result<()> {
    let folders = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut paths = folders.map(|folder| folder.join("docs/benchmarks.md"));
    let path = paths.find(|path| path.exists()).ok_or(std::io::ErrorKind::NotFound)?;
    let old = std::fs::read_to_string(&path)?;
    let (begin, end) = (format!("<!-- begin: {place} -->"), format!("<!-- end: {place} -->"));
    let parts = old
        .split_once(&begin)
        .and_then(|(head, rest)| rest.split_once(&end).map(|(_, tail)| (head, tail)));
    let Some((head, tail)) = parts else {
        return Err(std::io::Error::other(format!("cannot find {begin} and {end}")));
    };
    std::fs::write(&path, format!("{head}{begin}\n\n{}\n\n{end}{tail}", text.trim_end()))
}

//! The command `spec upgrade`.

use std::fmt::Write as _;
use std::fs;

use crate::cli::context::Context;
use crate::cli::outcome::{Outcome, usage};
use crate::config::Config;
use crate::spec;

/// Runs `spec upgrade`. No spec is written unless all can be rewritten.
pub(super) fn write(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let configs = cx.configs()?;
    let texts =
        configs.iter().map(|config| rewritten(cx, config)).collect::<Result<Vec<_>, _>>()?;
    let mut stdout = String::new();
    for (Config { spec, command, .. }, text) in configs.iter().zip(texts) {
        let Some(text) = text else {
            _ = writeln!(stdout, "{spec} is already in language 2");
            continue;
        };
        fs::write(cx.root.join(spec), text).map_err(|error| {
            Outcome::failed(1, format!("{stdout}error: cannot write {spec}: {error}\n"))
        })?;
        _ = writeln!(stdout, "{spec} is in language 2 now, and describes the same service");
        _ = writeln!(stdout, "To update the lock of the generated files, run: {command}");
    }
    Ok(Outcome::fine(stdout))
}

/// Runs `spec upgrade --print`.
pub(super) fn print(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let configs = cx.configs()?;
    let [config] = configs.as_slice() else {
        return Err(usage("the workspace has several services; add `--service NAME`"));
    };
    if let Some(text) = rewritten(cx, config)? {
        return Ok(Outcome::fine(text));
    }
    let stderr = format!("{} is already in language 2\n", config.spec);
    Ok(Outcome { stderr, ..Outcome::default() })
}

/// Returns the spec of a service in language 2; `None` if it is already.
fn rewritten(cx: &Context<'_>, config: &Config) -> Result<Option<String>, Outcome> {
    let path = cx.root.join(&config.spec);
    spec::upgrade_file(&path, &config.spec).map_err(|report| cx.rejected(&report))
}

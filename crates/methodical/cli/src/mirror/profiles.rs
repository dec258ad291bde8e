//! Runs a command for each profile.

use crate::config::origin::{Origin, TokenFrom};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::invocation::Invocation;

/// Runs a command for each profile that has a base URL, in the order of the settings file. Fails as the first profile that
/// failed, after the others.
pub(crate) fn each(
    invocation: &Invocation,
    mut run: impl FnMut(&Invocation) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if invocation.call.demo {
        return Err(Failure::usage("cannot use profiles with --demo: the sample service has none"));
    }
    let settings = Settings::of(invocation)?;
    let mut first = None;
    let mut count = 0;
    for name in settings.file.profiles() {
        if settings.file.get(name, "base-url").is_none() {
            continue;
        }
        count += 1;
        let mut one = invocation.clone();
        one.service.profile = Some(name.to_owned());
        let done = check(&one).and_then(|()| run(&one));
        if let Err(failure) = done {
            let failure = failure.because(format!("the profile is {name}"));
            if first.is_some() {
                failure.print(invocation.screen);
            } else {
                first = Some(failure);
            }
        }
    }
    if count == 0 {
        return Err(Failure::usage("no profile has a base URL"));
    }
    first.map_or(Ok(()), Err)
}

/// Refuses settings that are the same for all profiles: one account would be synced into the mirrors of the others.
fn check(invocation: &Invocation) -> Result<(), Failure> {
    let settings = Settings::of(invocation)?;
    let is_shared = |origin: &Origin| !matches!(origin, Origin::Profile(_));
    let refused = |what: &str, from: &dyn std::fmt::Display| {
        Err(Failure::usage(format!("cannot use --all-profiles: {what} comes from {from}")))
    };
    if let Some(url) = settings.base_url.filter(|url| is_shared(&url.origin)) {
        return refused("the base URL", &url.origin);
    }
    if let Some(mirror) = settings.mirror.filter(|mirror| is_shared(&mirror.origin)) {
        return refused("the mirror", &mirror.origin);
    }
    match settings.token {
        Some(token @ (TokenFrom::Stdin | TokenFrom::Variable(_))) => refused("the token", &token),
        Some(TokenFrom::File(file)) if is_shared(&file.origin) => {
            refused("the token", &file.origin)
        }
        _ => Ok(()),
    }
}

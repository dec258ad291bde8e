//! The checks as `#[test]` functions.

use std::fmt;

use crate::conformance::registry::CHECKS;
use crate::conformance::run::run_one;
use crate::conformance::subject::Factory;
use crate::outcome::Verdict;

/// Creates one `#[test]` for each check.
///
/// The first argument is a function `fn(&Setup) -> Result<Subject, TransportError>`. `skip` lists the checks that are
/// not run, each with its reason; a name that the kit does not know is a test failure. `skips` takes the same list as
/// a constant of pairs. Call the macro once per module. See [`conformance`](crate::conformance) for an example.
#[macro_export]
macro_rules! conformance_tests {
    ($factory:path) => {
        $crate::conformance_tests!($factory, skip = []);
    };
    ($factory:path, skip = [$($name:literal: $reason:literal),* $(,)?]) => {
        $crate::conformance_tests!($factory, skips = &[$(($name, $reason)),*]);
    };
    ($factory:path, skips = $skips:expr) => {
        const CONFORMANCE_SKIPS: &[(&str, &str)] = $skips;

        #[test]
        fn every_skip_names_a_check_of_the_kit() {
            for (name, _) in CONFORMANCE_SKIPS {
                let is_known =
                    $crate::conformance::CHECKS.iter().any(|check| check.name == *name);
                assert!(is_known, "unknown check `{name}`");
            }
        }

        $crate::__conformance_checks!([$crate::__conformance_tests] ($factory));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    (($factory:path) $($group:ident [$($check:ident)*])*) => {
        $(mod $group {
            use super::*;
            $(
                #[test]
                fn $check() -> Result<(), $crate::conformance::Failed> {
                    let name = concat!(stringify!($group), ".", stringify!($check));
                    $crate::conformance::test($factory, name, CONFORMANCE_SKIPS)
                }
            )*
        })*
    };
}

/// Runs one check for [`conformance_tests!`](crate::conformance_tests). A skipped check passes.
///
/// # Errors
///
/// Fails if the check fails, with what was observed instead, or if the kit has no check of this name.
#[expect(clippy::print_stdout, reason = "the output of a test names a check that is not run")]
pub fn test(factory: Factory, name: &str, skips: &[(&str, &str)]) -> Result<(), Failed> {
    let Some(check) = CHECKS.iter().find(|check| check.name == name) else {
        return Err(Failed(format!("unknown check `{name}`")));
    };
    match run_one(factory, check, skips).verdict {
        Verdict::Pass => Ok(()),
        Verdict::Fail(text) => Err(Failed(text)),
        Verdict::Open(reason) | Verdict::Skip(reason) => {
            println!("skipped: {reason}");
            Ok(())
        }
    }
}

/// Why a test failed. `Debug` prints the plain text, because that is the format the test harness shows.
pub struct Failed(String);

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Failed;

    #[test]
    fn a_failed_test_shows_plain_text() {
        assert_eq!(format!("{:?}", Failed("got \"b\"".to_owned())), "got \"b\"");
    }
}

//! Reading one parameter strictly: what the generated readers are made of.

use crate::query::Pairs;

/// Why a parameter was refused, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The name of the parameter.
    pub(crate) parameter: &'static str,
    /// What is wrong with it.
    pub(crate) fault: Fault,
}

/// What can be wrong with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is given twice with different values.
    Repeated,
    /// It has no value. Answering everything for an empty filter would show data by accident.
    Empty,
    /// It is not an unsigned integer in plain decimal digits.
    NotAnInteger,
    /// It is not there, and the call is refused without it.
    #[expect(
        dead_code,
        reason = "the contract has no such parameter; where one comes, this line goes"
    )]
    Missing,
}

/// Reads text that must not be empty.
pub(crate) fn text(pairs: &Pairs<'_>, parameter: &'static str) -> Result<Option<String>, Problem> {
    Ok(value(pairs, parameter)?.map(str::to_owned))
}

/// Reads an unsigned integer: decimal digits without sign, blank or leading zero.
///
/// An integer beyond 64 bits is still an integer, and no record has it: it reads as the largest.
pub(crate) fn integer(pairs: &Pairs<'_>, parameter: &'static str) -> Result<Option<u64>, Problem> {
    let Some(digits) = value(pairs, parameter)? else { return Ok(None) };
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if leading_zero || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Problem { parameter, fault: Fault::NotAnInteger });
    }
    Ok(Some(digits.parse().unwrap_or(u64::MAX)))
}

fn value<'p>(pairs: &'p Pairs<'_>, parameter: &'static str) -> Result<Option<&'p str>, Problem> {
    match pairs.get(parameter) {
        Err(_repeated) => Err(Problem { parameter, fault: Fault::Repeated }),
        Ok(Some("")) => Err(Problem { parameter, fault: Fault::Empty }),
        Ok(value) => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Result<Option<u64>, Fault>) {
        let pairs = Pairs::parse(query).unwrap();
        assert_eq!(integer(&pairs, "n").map_err(|problem| problem.fault), expected, "{query}");
    }

    #[test]
    fn integers() {
        check("", Ok(None));
        check("n=0", Ok(Some(0)));
        check("n=18446744073709551615", Ok(Some(u64::MAX)));
        check("n=18446744073709551616", Ok(Some(u64::MAX)));
        check("n=7&n=7", Ok(Some(7)));
        check("n=7&n=8", Err(Fault::Repeated));
        check("n=", Err(Fault::Empty));
        for bad in ["-1", "%2B1", "+1", "1.0", "0x1", "01", "1e3", "%C2%B2", "%D9%A1", "abc"] {
            check(&format!("n={bad}"), Err(Fault::NotAnInteger));
        }
    }
}

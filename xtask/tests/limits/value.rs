//! The values of constants, as a table shows them.

use std::fmt::Write as _;

use syn::{BinOp, Expr, ExprCall, ExprMethodCall, Lit, RangeLimits, UnOp};

use crate::constants::Constant;

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(i128),
    Fraction(f64),
    /// A duration, in milliseconds.
    Duration(i128),
    Range(i128, i128),
}

/// Returns the value of a constant with its unit, as `64 KiB` or `30 s`.
pub(crate) fn shown(constant: &Constant, all: &[Constant]) -> Option<String> {
    let value = evaluate(&constant.value, constant, all)?;
    let unit = unit(&constant.docs);
    Some(match (value, unit) {
        (Value::Duration(milliseconds), _) => duration(milliseconds),
        (Value::Number(number), "milliseconds") => duration(number),
        (Value::Number(number), "seconds") => duration(number * 1000),
        (Value::Number(number), "bytes") => bytes(number),
        (Value::Number(number), "mebibytes") => format!("{} MiB", grouped(number)),
        (Value::Number(number), "megabytes") => format!("{} MB", grouped(number)),
        (Value::Number(number), "") => grouped(number),
        (Value::Number(number), unit) => format!("{} {unit}", grouped(number)),
        (Value::Fraction(fraction), _) => fraction.to_string(),
        (Value::Range(start, end), "seconds") => {
            format!("{} to {}", duration(start * 1000), duration(end * 1000))
        }
        (Value::Range(start, end), _) => format!("{} to {}", grouped(start), grouped(end)),
    })
}

/// Returns the unit that documentation names, as in "Maximum size of a record, in bytes."
fn unit(docs: &str) -> &str {
    let sentence = docs.split(['.', ';', ':']).next().unwrap_or_default();
    let last = sentence.rsplit_once(" in ").map(|(_, unit)| unit);
    match last.filter(|unit| UNITS.contains(unit)) {
        Some(unit) => unit,
        None if sentence.contains(" bytes") => "bytes",
        None => "",
    }
}

/// The units after a number in documentation.
const UNITS: [&str; 10] = [
    "bytes",
    "bytes a second",
    "characters",
    "columns",
    "digits",
    "levels",
    "mebibytes",
    "megabytes",
    "milliseconds",
    "seconds",
];

fn duration(milliseconds: i128) -> String {
    const HOUR: i128 = 60 * 60 * 1000;
    for (unit, size, least) in [("days", 24 * HOUR, 2), ("h", HOUR, 1), ("min", 60 * 1000, 2)] {
        if milliseconds >= least * size && milliseconds % size == 0 {
            return format!("{} {unit}", milliseconds / size);
        }
    }
    if milliseconds % 1000 == 0 {
        format!("{} s", grouped(milliseconds / 1000))
    } else {
        format!("{} ms", grouped(milliseconds))
    }
}

fn bytes(number: i128) -> String {
    let units =
        [("GiB", 1 << 30), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("bytes", 1)];
    let fits = |size: i128| number >= size && number % size == 0;
    let (unit, size) = units.into_iter().find(|(_, size)| fits(*size)).unwrap_or(("bytes", 1));
    format!("{} {unit}", grouped(number / size))
}

/// Writes a number with a comma between each three digits.
pub(crate) fn grouped(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        write!(text, "{digit}").expect("a string");
    }
    text
}

/// Evaluates an expression of literals, arithmetic, durations and other constants; `None` for others.
fn evaluate(expression: &Expr, of: &Constant, all: &[Constant]) -> Option<Value> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok().map(Value::Number),
            Lit::Float(number) => number.base10_parse().ok().map(Value::Fraction),
            _ => None,
        },
        Expr::Paren(inner) => evaluate(&inner.expr, of, all),
        Expr::Cast(cast) => evaluate(&cast.expr, of, all),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Some(Value::Number(-number(&unary.expr, of, all)?))
        }
        Expr::Binary(binary) => {
            let (left, right) = (number(&binary.left, of, all)?, number(&binary.right, of, all)?);
            Some(Value::Number(match binary.op {
                BinOp::Add(_) => left + right,
                BinOp::Sub(_) => left - right,
                BinOp::Mul(_) => left * right,
                BinOp::Div(_) => left / right,
                BinOp::Shl(_) => left << right,
                _ => return None,
            }))
        }
        Expr::Range(range) => {
            let start = number(range.start.as_ref()?, of, all)?;
            let end = number(range.end.as_ref()?, of, all)?;
            let open = i128::from(matches!(range.limits, RangeLimits::HalfOpen(_)));
            Some(Value::Range(start, end - open))
        }
        Expr::Call(call) => called(call, of, all),
        Expr::MethodCall(call) => method(call, of, all),
        Expr::Path(path) => {
            let names: Vec<_> =
                path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let [.., name] = names.as_slice() else { return None };
            let other = other(name, of, all)?;
            evaluate(&other.value, other, all)
        }
        _ => None,
    }
}

fn number(expression: &Expr, of: &Constant, all: &[Constant]) -> Option<i128> {
    match evaluate(expression, of, all)? {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// Evaluates `Duration::from_secs(…)` and the like.
fn called(call: &ExprCall, of: &Constant, all: &[Constant]) -> Option<Value> {
    let Expr::Path(function) = &*call.func else { return None };
    let factor = match function.path.segments.last()?.ident.to_string().as_str() {
        "from_hours" => 60 * 60 * 1000,
        "from_mins" => 60 * 1000,
        "from_secs" => 1000,
        "from_millis" => 1,
        _ => return None,
    };
    Some(Value::Duration(number(call.args.first()?, of, all)? * factor))
}

/// Evaluates `.as_secs()` of a duration.
fn method(call: &ExprMethodCall, of: &Constant, all: &[Constant]) -> Option<Value> {
    match evaluate(&call.receiver, of, all)? {
        Value::Duration(milliseconds) if call.method == "as_secs" => {
            Some(Value::Number(milliseconds / 1000))
        }
        _ => None,
    }
}

/// Returns the constant with a name: of the same module, else of the same crate, else of any crate.
fn other<'a>(name: &str, of: &Constant, all: &'a [Constant]) -> Option<&'a Constant> {
    let others = || {
        all.iter().filter(|other| {
            other.name == name && (other.module != of.module || other.name != of.name)
        })
    };
    let same_module =
        |other: &&Constant| (&other.package, &other.module) == (&of.package, &of.module);
    others()
        .find(same_module)
        .or_else(|| others().find(|other| other.package == of.package))
        .or_else(|| others().next())
}

#[test]
fn a_value_has_the_unit_of_its_documentation() {
    let shows = |value: &str, docs: &str| {
        let constant = Constant {
            package: "a".to_owned(),
            module: String::new(),
            name: "A".to_owned(),
            docs: docs.to_owned(),
            value: syn::parse_str(value).expect("an expression"),
        };
        shown(&constant, &[]).unwrap_or_default()
    };
    assert_eq!(shows("64 * 1024", "Maximum size of a body, in bytes: more than enough."), "64 KiB");
    assert_eq!(shows("1 << 20", "Maximum size of a body, in bytes."), "1 MiB");
    assert_eq!(shows("1500", "Maximum number of unsent bytes of a response."), "1,500 bytes");
    assert_eq!(shows("Duration::from_secs(90)", "Timeout."), "90 s");
    assert_eq!(shows("Duration::from_secs(4 * 60 * 60)", "Timeout."), "4 h");
    assert_eq!(shows("30 * 24 * 60 * 60 * 1000", "Time, in milliseconds."), "30 days");
    assert_eq!(shows("1..=24 * 60 * 60", "Range of a timeout, in seconds."), "1 s to 24 h");
    assert_eq!(shows("300", "Maximum length of a notice, in characters."), "300 characters");
    assert_eq!(shows("10_000", "Maximum number of rows."), "10,000");
    assert_eq!(shows("\"text\"", "Default text."), "");
}

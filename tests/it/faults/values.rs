//! Values at the edge: decimals that are none, and names that have to be escaped.

use super::case::{Ask, Group, LIST, document, fault};

pub(super) fn values() -> Group {
    let mut cases = Vec::new();
    for decimal in
        ["120.50", "1e3", "1,234.50", "NaN", "", "-0", "1234567890123456789012345678901234567890"]
    {
        let body = format!("{{\"credits_number\":\"{decimal}\",\"currency\":\"EUR\"}}");
        let name = format!("credits {decimal:?}");
        cases.push(fault(name, document(body)).asking(Ask::Credits));
    }
    for (name, body) in [
        ("credits as a number", "{\"credits_number\":120.50,\"currency\":\"EUR\"}"),
        ("credits without a currency", "{\"credits_number\":\"120.50\"}"),
    ] {
        cases.push(fault(name, document(body)).asking(Ask::Credits));
    }
    let long = "a".repeat(8 << 10);
    for (name, status) in [
        ("a status name with &", "On & off"),
        ("a status name with =", "a=b"),
        ("a status name with +", "C+"),
        ("a status name with %", "100%20"),
        ("a status name with an emoji", "Hired 🎉"),
        ("a status name with NUL", "a\0b"),
        ("a status name with a line end", "a\r\nx: y"),
        ("a status name of 8 KiB", &long),
        ("an empty status name", ""),
    ] {
        cases.push(fault(name, document(LIST)).asking(Ask::Status(status.to_owned())));
    }
    Group { name: "values", cases }
}

//! Unusual values: text that is not a decimal, and status names that need percent-encoding.

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
        ("credits are a JSON number", "{\"credits_number\":120.50,\"currency\":\"EUR\"}"),
        ("credits without a currency", "{\"credits_number\":\"120.50\"}"),
    ] {
        cases.push(fault(name, document(body)).asking(Ask::Credits));
    }
    let long = "a".repeat(8 << 10);
    for (name, status) in [
        ("status name with &", "On & off"),
        ("status name with =", "a=b"),
        ("status name with +", "C+"),
        ("status name with %", "100%20"),
        ("status name with an emoji", "Hired 🎉"),
        ("status name with NUL", "a\0b"),
        ("status name with CRLF", "a\r\nx: y"),
        ("status name of 8 KiB", &long),
        ("empty status name", ""),
    ] {
        cases.push(fault(name, document(LIST)).asking(Ask::Status(status.to_owned())));
    }
    Group { name: "values", cases }
}

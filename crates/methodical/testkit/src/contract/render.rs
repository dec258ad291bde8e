//! Reports in formats for other programs.

use std::fmt::Write as _;

use crate::contract::report::{Finding, Report};
use crate::outcome::Verdict;

impl Report {
    /// Returns the report in the Test Anything Protocol, version 14.
    ///
    /// # Examples
    ///
    /// ```
    /// # use methodical_testkit::codegen::{Auth, Dispatch};
    /// # use methodical_testkit::contract::{Contract, Profile, Target, run};
    /// # static CONTRACT: Contract = Contract {
    /// #     path: "/api", dispatch: Dispatch::query(&["action"]), auth: Auth::Bearer, accept: "application/json", source: "", token_source: "", operations: &[],
    /// # };
    /// # let target = Target::new("https://gateway.example.com", "token")?;
    /// # let transport = gateway_transport::MemoryTransport::default();
    /// # let report = run(&CONTRACT, &target, &transport, Profile::Any);
    /// assert!(report.to_tap().starts_with("TAP version 14\n1.."));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn to_tap(&self) -> String {
        let mut out = format!("TAP version 14\n1..{}\n", self.findings().len());
        for (Finding { check, verdict }, number) in self.findings().iter().zip(1..) {
            let (sign, skip) = match verdict {
                Verdict::Pass => ("ok", String::new()),
                Verdict::Fail(_) => ("not ok", String::new()),
                // TAP has no word for an open point.
                Verdict::Open(detail) | Verdict::Skip(detail) => {
                    ("ok", format!(" # SKIP {}", tap(detail)))
                }
            };
            let line = format!("{sign} {number} - {}: {}{skip}\n", check.name, tap(&check.title));
            out.push_str(&line);
            if let Verdict::Fail(detail) = verdict {
                let (detail, source) = (yaml(detail), yaml(&check.source.to_string()));
                write!(out, "  ---\n  seen: {detail}\n  source: {source}\n  ...\n")
                    .unwrap_or_default();
            }
        }
        out
    }

    /// Returns the report as `JUnit` XML, with one test case for each check.
    ///
    /// # Examples
    ///
    /// ```
    /// # use methodical_testkit::codegen::{Auth, Dispatch};
    /// # use methodical_testkit::contract::{Contract, Profile, Target, run};
    /// # static CONTRACT: Contract = Contract {
    /// #     path: "/api", dispatch: Dispatch::query(&["action"]), auth: Auth::Bearer, accept: "application/json", source: "", token_source: "", operations: &[],
    /// # };
    /// # let target = Target::new("https://gateway.example.com", "token")?;
    /// # let transport = gateway_transport::MemoryTransport::default();
    /// # let report = run(&CONTRACT, &target, &transport, Profile::Any);
    /// assert!(report.to_junit().contains("<testsuite name=\"gateway contract\""));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn to_junit(&self) -> String {
        let [fail, open, skip] = ["fail", "open", "skip"].map(|word| self.count(word));
        // JUnit has no word for an open point.
        let skip = open + skip;
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gateway contract\" tests=\"{}\" \
             failures=\"{fail}\" errors=\"0\" skipped=\"{skip}\">\n",
            self.findings().len()
        );
        for Finding { check, verdict } in self.findings() {
            let (group, name) = check.name.split_once('.').unwrap_or(("", &check.name));
            let inner = match verdict {
                Verdict::Pass => String::new(),
                Verdict::Fail(detail) => format!(
                    "<failure message=\"{}\">{} ({})</failure>",
                    xml(detail),
                    xml(&check.title),
                    xml(&check.source.to_string())
                ),
                Verdict::Open(detail) | Verdict::Skip(detail) => {
                    format!("<skipped message=\"{}\"/>", xml(detail))
                }
            };
            let case =
                format!("  <testcase classname=\"{group}\" name=\"{name}\">{inner}</testcase>\n");
            out.push_str(&case);
        }
        out.push_str("</testsuite>\n");
        out
    }

    /// Returns the report as JSON: the counts, and an object for each check.
    ///
    /// # Examples
    ///
    /// ```
    /// # use methodical_testkit::codegen::{Auth, Dispatch};
    /// # use methodical_testkit::contract::{Contract, Profile, Target, run};
    /// # static CONTRACT: Contract = Contract {
    /// #     path: "/api", dispatch: Dispatch::query(&["action"]), auth: Auth::Bearer, accept: "application/json", source: "", token_source: "", operations: &[],
    /// # };
    /// # let target = Target::new("https://gateway.example.com", "token")?;
    /// # let transport = gateway_transport::MemoryTransport::default();
    /// # let report = run(&CONTRACT, &target, &transport, Profile::Any);
    /// assert!(report.to_json().contains("\"requests\""));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let findings: Vec<_> = self
            .findings()
            .iter()
            .map(|Finding { check, verdict }| {
                serde_json::json!({
                    "check": check.name,
                    "title": check.title,
                    "source": check.source.to_string(),
                    "verdict": verdict.word(),
                    "detail": verdict.detail(),
                })
            })
            .collect();
        let report = serde_json::json!({
            "pass": self.count("pass"),
            "fail": self.count("fail"),
            "open": self.count("open"),
            "skip": self.count("skip"),
            "requests": self.requests(),
            "findings": findings,
        });
        format!("{report:#}\n")
    }
}

/// Escapes text for a TAP line, where `#` starts a directive and a line break ends the test.
fn tap(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#").replace(char::is_control, " ")
}

/// Quotes text for YAML: a JSON string is a valid YAML string.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Escapes text for XML.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML excludes these characters, even escaped.
            character if character.is_control() => out.push('\u{FFFD}'),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::contract::check::{ContractCheck, Source};
    use crate::contract::report::{Finding, Report};
    use crate::outcome::Verdict;

    /// Returns a report with each verdict, and with characters that a format must escape.
    fn report() -> Report {
        let finding = |name: &'static str, source, verdict| {
            let title = "the response to `a=1` is <short> # always".into();
            Finding { check: ContractCheck { name: name.into(), title, source }, verdict }
        };
        let findings = vec![
            finding("photos.response", Source::Contract("4.1"), Verdict::Pass),
            finding(
                "photos.order",
                Source::Decision("D-order"),
                Verdict::Open("not \"sorted\" & so on".to_owned()),
            ),
            finding(
                "photos.title",
                Source::Contract(""),
                Verdict::Fail("a\\b\n# c: 'd'".to_owned()),
            ),
            finding(
                "representation.gzip",
                Source::Rfc("9110 12.5.3"),
                Verdict::Skip("no gzip".into()),
            ),
        ];
        Report::new(findings, 7)
    }

    #[test]
    fn reports_have_four_formats() {
        let report = report();
        insta::assert_snapshot!("text", report.to_string());
        insta::assert_snapshot!("tap", report.to_tap());
        insta::assert_snapshot!("junit", report.to_junit());

        // The order of the keys depends on a feature of serde_json, which another crate of a program may enable.
        let json: Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(
            (&json["pass"], &json["fail"], &json["open"], &json["skip"], &json["requests"]),
            (&json!(1), &json!(1), &json!(1), &json!(1), &json!(7))
        );
        assert_eq!(
            json["findings"][2],
            json!({
                "check": "photos.title",
                "title": "the response to `a=1` is <short> # always",
                "source": "contract",
                "verdict": "fail",
                "detail": "a\\b\n# c: 'd'",
            })
        );
    }
}

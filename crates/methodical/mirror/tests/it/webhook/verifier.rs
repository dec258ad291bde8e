//! Signatures, verified by another project's library: the package `standardwebhooks` for Python.

use std::io::Write as _;
use std::process::{Command, Stdio};

use methodical_mirror::Limits;
use serde_json::json;

use crate::webhook::receiver::{Answer, Receiver};
use crate::webhook::{SECRET, mirror, webhook};

/// Verifies the requests in the lines of its input. Prints one word for each.
const PROGRAM: &str = r#"
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
for line in sys.stdin:
    request = json.loads(line)
    try:
        event = Webhook(request["secret"]).verify(request["body"], request["headers"])
        print(event["kind"])
    except WebhookVerificationError:
        print("refused")
"#;

#[test]
fn another_library_verifies_the_signatures() {
    let required = std::env::var_os(PYTHON);
    let python = required.clone().unwrap_or_else(|| "python3".into());
    let import = Command::new(&python).args(["-c", "import standardwebhooks"]).output();
    if !import.is_ok_and(|output| output.status.success()) {
        assert!(required.is_none(), "{PYTHON} has no package `standardwebhooks`");
        println!("SKIPPED: python3 has no package `standardwebhooks`; run .ci/webhook");
        return;
    }

    let (mirror, clock) = mirror(5);
    let receiver = Receiver::start([Answer::Status("500 Internal Server Error")]);
    let mut sink = webhook(&receiver.url());
    mirror.deliver("all", &mut sink, &Limits::default()).unwrap_err();
    clock.advance(5);
    mirror.deliver("all", &mut sink, &Limits::default()).unwrap();

    let (mut input, mut expected) = (String::new(), Vec::new());
    for request in receiver.requests() {
        let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let headers: serde_json::Map<_, _> =
            names.into_iter().map(|name| (name.to_owned(), request.header(name).into())).collect();
        let other = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
        let changed = request.body.replace("CANARY", "Canary");
        for (key, body, says) in [
            (SECRET, &request.body, "added"),
            (other, &request.body, "refused"),
            (SECRET, &changed, "refused"),
        ] {
            let line = json!({ "secret": key, "headers": headers, "body": body });
            input.push_str(&line.to_string());
            input.push('\n');
            expected.push(says);
        }
    }
    let mut child = Command::new(&python)
        .args(["-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(words.lines().collect::<Vec<_>>(), expected);
    assert_eq!(expected.len(), 18);
    println!("standardwebhooks verified {} requests", expected.len() / 3);
}

/// The environment variable with a Python that has the package.
const PYTHON: &str = "GATEWAY_WEBHOOK_PYTHON";

//! The Model Context Protocol over standard input and output: one JSON-RPC message on each line.
//!
//! Ours, because a server with tools needs five methods: `rmcp` 3.11 would add 17 crates, a minute of build on one core and 2.2 MB.
//!
//! A client of 2025-11-25 or before begins with `initialize`. One of 2026-07-28 sends its version with each request, and may
//! ask for the versions with `server/discover`. The server keeps no state, so it answers both at any time.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Map, Value, json};

use crate::mirror::assistant::With as _;

/// A tool that an assistant can call.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    /// The JSON Schema of the arguments.
    pub(super) input: Value,
    /// The JSON Schema of the result.
    pub(super) output: Value,
}

/// What a server offers.
pub(super) trait Tools {
    /// Returns the tools, in the order of their list.
    fn all(&self) -> &[Tool];

    /// Calls a tool. The error is a text for the model: it has no data of the service, and none of the arguments.
    fn call(&mut self, name: &str, arguments: Map<String, Value>) -> Result<Value, String>;
}

/// The name and version of a server, and how a model is to use it.
pub(super) struct About {
    pub(super) name: String,
    pub(super) version: &'static str,
    pub(super) instructions: String,
}

/// Answers messages until the input ends.
///
/// # Errors
///
/// Fails if a stream does.
pub(super) fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    about: &About,
    tools: &mut impl Tools,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut input).take(MAX_MESSAGE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let answer = if line.len() as u64 == MAX_MESSAGE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            Some(failed(
                &Value::Null,
                INVALID_REQUEST,
                "cannot read the message: it is longer than 1 MiB",
            ))
        } else if line.trim_ascii().is_empty() {
            None
        } else {
            answer(&line, about, tools)
        };
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

/// Returns the answer to a message; `None` to a notification, and to a response, which nobody asked for.
fn answer(line: &[u8], about: &About, tools: &mut impl Tools) -> Option<Value> {
    let invalid = |text| Some(failed(&Value::Null, INVALID_REQUEST, text));
    let mut message = match serde_json::from_slice(line) {
        Ok(Value::Object(message)) => message,
        Ok(_) => return invalid("cannot read the message: it is not an object"),
        Err(_) => {
            return Some(failed(
                &Value::Null,
                PARSE_ERROR,
                "cannot read the message: it is not JSON",
            ));
        }
    };
    let id = message.remove("id");
    let Some(Value::String(method)) = message.remove("method") else {
        if message.contains_key("result") || message.contains_key("error") {
            return None;
        }
        return invalid("cannot answer the message: it names no method");
    };
    let id = id?;
    let is_request = id.is_string() || id.is_number();
    if !is_request || message.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return invalid("cannot answer the message: it is not a request of JSON-RPC 2.0");
    }
    let parameters = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(parameters)) => parameters,
        Some(_) => return invalid("cannot read the parameters: they are not an object"),
    };
    let version = parameters.get("_meta").and_then(|meta| meta.get(VERSION_KEY)).cloned();
    if version.as_ref().is_some_and(|version| version != STATELESS) {
        let data = json!({"supported": [STATELESS], "requested": version});
        let text = "cannot answer in this version of the protocol";
        let error = json!({"code": UNSUPPORTED_VERSION, "message": text, "data": data});
        return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }
    Some(match result(&method, parameters, about, tools) {
        Err((code, text)) => failed(&id, code, text),
        Ok(result) if version.is_none() => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Ok(result) => {
            let meta = json!({SERVER_KEY: server(about)});
            let result = result.with("resultType", "complete").with("_meta", meta);
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        }
    })
}

/// Returns the result of a request, or the code and the text of its error.
fn result(
    method: &str,
    mut parameters: Map<String, Value>,
    about: &About,
    tools: &mut impl Tools,
) -> Result<Value, (i32, &'static str)> {
    let capabilities = json!({"tools": {}});
    match method {
        "initialize" => {
            let asked = parameters.get("protocolVersion").and_then(Value::as_str);
            let version = HANDSHAKE.iter().find(|version| asked == Some(version));
            Ok(json!({
                "protocolVersion": version.unwrap_or(&HANDSHAKE[0]),
                "capabilities": capabilities,
                "serverInfo": server(about),
                "instructions": about.instructions,
            }))
        }
        "server/discover" => Ok(json!({
            "supportedVersions": [STATELESS],
            "capabilities": capabilities,
            "instructions": about.instructions,
            "ttlMs": TTL_MS,
            "cacheScope": "private",
        })),
        "ping" => Ok(json!({})),
        "tools/list" if parameters.contains_key("cursor") => {
            Err((INVALID_PARAMS, "cannot continue the list: it has one page"))
        }
        "tools/list" => {
            let all: Vec<Value> = tools.all().iter().map(described).collect();
            Ok(json!({"tools": all, "ttlMs": TTL_MS, "cacheScope": "private"}))
        }
        "tools/call" => {
            let name = parameters.get("name").and_then(Value::as_str).map(str::to_owned);
            let name = name.filter(|name| tools.all().iter().any(|tool| tool.name == *name));
            let name = name.ok_or((INVALID_PARAMS, "cannot call the tool: it is unknown"))?;
            let arguments = match parameters.remove("arguments") {
                None => Map::new(),
                Some(Value::Object(arguments)) => arguments,
                Some(_) => {
                    return Err((
                        INVALID_PARAMS,
                        "cannot read the arguments: they are not an object",
                    ));
                }
            };
            Ok(match tools.call(&name, arguments) {
                Ok(value) => json!({
                    "content": [{"type": "text", "text": value.to_string()}],
                    "structuredContent": value,
                    "isError": false,
                }),
                Err(text) => json!({"content": [{"type": "text", "text": text}], "isError": true}),
            })
        }
        _ => Err((METHOD_NOT_FOUND, "cannot answer the message: its method is unknown")),
    }
}

/// Returns a tool in a list.
fn described(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

fn server(about: &About) -> Value {
    json!({"name": about.name, "version": about.version})
}

fn failed(id: &Value, code: i32, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
}

/// Maximum length of a message, in bytes.
const MAX_MESSAGE: u64 = 1 << 20;

/// Time for which a client may keep the list of tools, in milliseconds.
const TTL_MS: u32 = 3_600_000;

/// Versions that begin with a handshake, the newest first.
const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version in which each request names its version.
const STATELESS: &str = "2026-07-28";

/// The member of the metadata of a request with its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The member of the metadata of a result with the server.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const UNSUPPORTED_VERSION: i32 = -32022;

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{About, MAX_MESSAGE, STATELESS, Tool, Tools, VERSION_KEY, serve};

    struct Echo([Tool; 1]);

    impl Tools for Echo {
        fn all(&self) -> &[Tool] {
            &self.0
        }

        fn call(&mut self, _: &str, arguments: Map<String, Value>) -> Result<Value, String> {
            if arguments.is_empty() { Err("no arguments".to_owned()) } else { Ok(arguments.into()) }
        }
    }

    /// Returns the answers to these lines.
    fn answers(lines: &str) -> Vec<Value> {
        let tool = Tool {
            name: "echo".to_owned(),
            description: "Repeats.".to_owned(),
            input: json!({"type": "object"}),
            output: json!({"type": "object"}),
        };
        let about = About { name: "test".to_owned(), version: "1", instructions: String::new() };
        let mut output = Vec::new();
        serve(lines.as_bytes(), &mut output, &about, &mut Echo([tool])).unwrap();
        let output = String::from_utf8(output).unwrap();
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn request(method: &str, parameters: &Value) -> String {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))
    }

    #[test]
    fn a_handshake_answers_with_the_version_of_the_client() {
        for (asked, expected) in [("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")] {
            let lines = request("initialize", &json!({"protocolVersion": asked}));
            assert_eq!(answers(&lines)[0]["result"]["protocolVersion"], expected);
        }
    }

    #[test]
    fn a_stateless_request_has_its_version() {
        let meta = |version: &str| json!({"_meta": {VERSION_KEY: version}});
        let found = answers(&request("server/discover", &meta(STATELESS)));
        assert_eq!(found[0]["result"]["supportedVersions"], json!([STATELESS]));
        assert_eq!(found[0]["result"]["resultType"], "complete");
        let found = answers(&request("tools/list", &meta("2027-01-01")));
        assert_eq!(found[0]["error"]["code"], -32022);
        assert_eq!(found[0]["error"]["data"]["supported"], json!([STATELESS]));
    }

    #[test]
    fn a_call_has_a_result_or_a_failure() {
        let call = |arguments: Value| {
            let name = json!({"name": "echo", "arguments": arguments});
            answers(&request("tools/call", &name)).remove(0)
        };
        let result = &call(json!({"a": 1}))["result"];
        assert_eq!(result["structuredContent"], json!({"a": 1}));
        assert_eq!(result["content"][0]["text"], r#"{"a":1}"#);
        assert_eq!(call(json!({}))["result"]["isError"], true);
        assert_eq!(call(json!([]))["error"]["code"], -32602);
        let unknown = answers(&request("tools/call", &json!({"name": "other"})));
        assert_eq!(unknown[0]["error"]["code"], -32602);
    }

    #[test]
    fn a_message_that_is_no_request_has_an_error_or_no_answer() {
        let long = format!("\"{}\"\n", "x".repeat(usize::try_from(MAX_MESSAGE).unwrap()));
        for (lines, code) in [
            ("{\n", -32700),
            ("[]\n", -32600),
            ("{\"id\":1}\n", -32600),
            ("{\"id\":null,\"method\":\"ping\",\"jsonrpc\":\"2.0\"}\n", -32600),
            ("{\"id\":1,\"method\":\"ping\"}\n", -32600),
            ("{\"id\":1,\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"params\":[]}\n", -32600),
            ("{\"id\":1,\"method\":\"prompts/list\",\"jsonrpc\":\"2.0\"}\n", -32601),
            (&*long, -32600),
        ] {
            let found = answers(&format!("{lines}{}", request("ping", &json!({}))));
            assert_eq!(found[0]["error"]["code"], code, "{lines:.60}");
            assert_eq!(found[1]["result"], json!({}), "{lines:.60}");
        }
        let silent = "\n{\"method\":\"notifications/initialized\",\"jsonrpc\":\"2.0\"}\n{\"id\":9,\"result\":{}}\n";
        assert!(answers(silent).is_empty());
    }
}

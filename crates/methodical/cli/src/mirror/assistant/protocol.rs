//! The Model Context Protocol over standard input and output: one JSON-RPC message on each line.
//!
//! Hand-written, because a server with tools needs only five methods: `rmcp` 3.11 would add 17 crates, a minute of
//! build time on one core, and 2.2 MB.
//!
//! A client of protocol version 2025-11-25 or earlier begins with `initialize`. A client of 2026-07-28 sends its
//! version with each request, and may ask for the supported versions with `server/discover`. The server keeps no state,
//! so it answers both at any time.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Map, Value, json};

use crate::mirror::assistant::with;

/// The name and version of a server, instructions for the model, and its list of tools.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) version: &'static str,
    pub(super) instructions: String,
    pub(super) tools: Vec<Value>,
}

/// The parameters of a request, or the arguments of a call.
pub(super) type Parameters = Map<String, Value>;

/// Calls a tool by name. The error is a message for the model, without data from the service or the arguments.
type Call<'a> = &'a mut dyn FnMut(&str, Parameters) -> Result<Value, String>;

/// Answers messages until the input ends.
///
/// # Errors
///
/// Fails if the input cannot be read or the output cannot be written.
pub(super) fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    server: &Server,
    call: Call<'_>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut input).take(MAX_MESSAGE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let answer = if line.len() as u64 == MAX_MESSAGE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            let text = "cannot read the message: it is longer than 1 MiB";
            Some(response(&Value::Null, Err(error(INVALID_REQUEST, text))))
        } else if line.trim_ascii().is_empty() {
            None
        } else {
            answer(&line, server, call)
        };
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

/// Returns the answer to a message; `None` for a notification or a response.
fn answer(line: &[u8], server: &Server, call: Call<'_>) -> Option<Value> {
    let refused = |code, text| Some(response(&Value::Null, Err(error(code, text))));
    let invalid = |text| refused(INVALID_REQUEST, text);
    let mut message: Parameters = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) if error.is_data() => {
            return invalid("cannot read the message: it is not an object");
        }
        Err(_) => return refused(PARSE_ERROR, "cannot read the message: it is not JSON"),
    };
    let id = message.remove("id");
    let Some(Value::String(method)) = message.remove("method") else {
        let is_response = message.contains_key("result") || message.contains_key("error");
        return invalid("cannot answer the message: it names no method").filter(|_| !is_response);
    };
    let id = id?;
    let has_version = message.get("jsonrpc").is_some_and(|version| version == "2.0");
    if !has_version || !(id.is_string() || id.is_number()) {
        return invalid("cannot answer the message: it is not a JSON-RPC 2.0 request");
    }
    let parameters = message.remove("params").unwrap_or_default();
    let Ok(parameters) = serde_json::from_value::<Option<Parameters>>(parameters) else {
        return invalid("cannot read the parameters: they are not an object");
    };
    let parameters = parameters.unwrap_or_default();
    let version = parameters.get("_meta").and_then(|meta| meta.get(VERSION_KEY)).cloned();
    let result = match version {
        None => result(&method, parameters, server, call),
        Some(version) if version == STATELESS => {
            let meta = json!({SERVER_KEY: {"name": server.name, "version": server.version}});
            result(&method, parameters, server, call)
                .map(|result| with(with(result, "resultType", "complete"), "_meta", meta))
        }
        Some(version) => {
            let data = json!({"supported": [STATELESS], "requested": version});
            let text = "cannot answer: this version of the protocol is not supported";
            Err(with(error(UNSUPPORTED_VERSION, text), "data", data))
        }
    };
    Some(response(&id, result))
}

/// Returns the result of a request, or its error.
fn result(
    method: &str,
    mut parameters: Parameters,
    server: &Server,
    call: Call<'_>,
) -> Result<Value, Value> {
    match method {
        "initialize" => {
            let asked = parameters.get("protocolVersion").and_then(Value::as_str);
            let version = HANDSHAKE.iter().find(|version| asked == Some(version));
            Ok(json!({
                "protocolVersion": version.unwrap_or(&HANDSHAKE[0]),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": server.name, "version": server.version},
                "instructions": server.instructions,
            }))
        }
        "server/discover" => Ok(json!({
            "supportedVersions": [STATELESS],
            "capabilities": {"tools": {}},
            "instructions": server.instructions,
            "ttlMs": TTL_MS,
            "cacheScope": "private",
        })),
        "ping" => Ok(json!({})),
        "tools/list" => {
            Ok(json!({"tools": server.tools, "ttlMs": TTL_MS, "cacheScope": "private"}))
        }
        "tools/call" => {
            let tool = server.tools.iter().find(|tool| tool.get("name") == parameters.get("name"));
            let name = tool.and_then(|tool| tool.get("name")).and_then(Value::as_str);
            let name =
                name.ok_or_else(|| error(INVALID_PARAMS, "cannot call the tool: it is unknown"))?;
            let arguments = parameters.remove("arguments").unwrap_or_default();
            let arguments =
                serde_json::from_value::<Option<Parameters>>(arguments).map_err(|_other_type| {
                    error(INVALID_PARAMS, "cannot read the arguments: they are not an object")
                })?;
            let arguments = arguments.unwrap_or_default();
            let properties = tool.and_then(|tool| tool.pointer("/inputSchema/properties"));
            let is_known = |name| properties.is_some_and(|known| known.get(name).is_some());
            let fit = arguments.keys().all(is_known);
            let done = if fit { call(name, arguments) } else { Err(UNFIT.to_owned()) };
            Ok(match done {
                Ok(value) => json!({
                    "content": [{"type": "text", "text": value.to_string()}],
                    "structuredContent": value,
                    "isError": false,
                }),
                Err(text) => json!({"content": [{"type": "text", "text": text}], "isError": true}),
            })
        }
        _ => Err(error(METHOD_NOT_FOUND, "cannot answer the message: its method is unknown")),
    }
}

fn response(id: &Value, result: Result<Value, Value>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    }
}

fn error(code: i32, text: &str) -> Value {
    json!({"code": code, "message": text})
}

/// The message for arguments that do not match a tool's schema.
pub(super) const UNFIT: &str =
    "cannot read the arguments: they do not match the input schema of the tool";

const MAX_MESSAGE: u64 = 1 << 20;

/// Time for which a client may keep the list of tools, in milliseconds.
const TTL_MS: u32 = 3_600_000;

/// Protocol versions that begin with a handshake, newest first.
const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The protocol version whose requests each name their version.
const STATELESS: &str = "2026-07-28";

/// The metadata member with a request's protocol version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The metadata member that describes the server in a result.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const UNSUPPORTED_VERSION: i32 = -32022;

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{MAX_MESSAGE, STATELESS, Server, VERSION_KEY, serve};

    /// Returns the answers of a server with the tool `echo` to these lines.
    fn answers(lines: &str) -> Vec<Value> {
        let mut output = Vec::new();
        let server = Server {
            name: "test".to_owned(),
            version: "1",
            instructions: String::new(),
            tools: vec![json!({"name": "echo", "inputSchema": {"properties": {"a": {}}}})],
        };
        let mut echo = |_: &str, arguments: Map<String, Value>| {
            if arguments.is_empty() { Err("no arguments".to_owned()) } else { Ok(arguments.into()) }
        };
        serve(lines.as_bytes(), &mut output, &server, &mut echo).unwrap();
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
        assert_eq!(call(json!({"b": 1}))["result"]["isError"], true);
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

//! Reads responses strictly: anything that is not exactly HTTP/1.1 is a finding.

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    is_old: bool,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    /// Returns the value of the field with this lowercase name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the connection ends after the response.
    pub fn closes(&self) -> bool {
        match self.field("connection") {
            Some(value) => value == "close",
            None => self.is_old,
        }
    }

    /// Returns the status and the body, without the request id.
    pub fn into_parts(mut self) -> (u16, Vec<u8>) {
        let id = self.field("x-request-id").unwrap_or_default().to_owned();
        let mut body = std::mem::take(&mut self.body);
        let at = body.windows(id.len().max(1)).position(|window| window == id.as_bytes());
        if let Some(at) = at {
            body.drain(at..at + id.len());
        }
        (self.status, body)
    }
}

/// Reads all responses. `is_head` returns whether the request with this number was `HEAD`.
pub fn responses(mut bytes: &[u8], is_head: impl Fn(usize) -> bool) -> Vec<Response> {
    let mut responses = Vec::new();
    while !bytes.is_empty() {
        let (response, rest) = one(bytes, is_head(responses.len()));
        responses.push(response);
        bytes = rest;
    }
    responses
}

fn one(bytes: &[u8], is_head: bool) -> (Response, &[u8]) {
    let mut space = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Response::new(&mut space);
    let end = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(end)) => end,
        other => panic!("{other:?}: {:?}", String::from_utf8_lossy(bytes)),
    };
    let is_old = parsed.version == Some(0);
    assert!(bytes[..end].ends_with(b"\r\n\r\n"));
    let field = |field: &httparse::Header<'_>| {
        let value = String::from_utf8(field.value.to_vec()).expect("a field is text");
        (field.name.to_ascii_lowercase(), value)
    };
    let fields: Vec<_> = parsed.headers.iter().map(field).collect();
    let status = parsed.code.unwrap();
    let mut response = Response { status, is_old, fields, body: Vec::new() };
    for (index, (name, value)) in response.fields.iter().enumerate() {
        let is_repeated = response.fields[..index].iter().any(|(other, _)| other == name);
        assert!(!is_repeated || name == "vary", "{name} is given twice");
        assert!(value.bytes().all(|byte| byte == b'\t' || !byte.is_ascii_control()));
    }
    let rest = &bytes[end..];
    let length = response.field("content-length").map(|text| text.parse::<usize>().unwrap());
    let is_chunked = response.field("transfer-encoding") == Some("chunked");
    assert!(!(is_chunked && length.is_some()));
    let has_no_body = is_head || matches!(response.status, 100..200 | 204 | 304);
    let (body, rest) = match length {
        _ if has_no_body => (Vec::new(), rest),
        Some(length) => (rest[..length].to_vec(), &rest[length..]),
        None if is_chunked => chunks(rest),
        None => (rest.to_vec(), &rest[rest.len()..]),
    };
    response.body = body;
    let is_json = response.field("content-type").is_some_and(|value| value.contains("json"));
    let is_plain = response.field("content-encoding").is_none();
    if is_json && is_plain && !has_no_body {
        serde_json::from_slice::<serde_json::Value>(&response.body).expect("JSON");
    }
    (response, rest)
}

fn chunks(mut bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n").expect("the size of a chunk");
        let size = usize::from_str_radix(str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        let data = &bytes[line + 2..];
        assert_eq!(&data[size..size + 2], b"\r\n");
        body.extend_from_slice(&data[..size]);
        bytes = &data[size + 2..];
        if size == 0 {
            return (body, bytes);
        }
    }
}

//! A server that answers every request with 1 KB, in a separate process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::{env, io, thread};

use crate::machine;

/// The argument that makes this program the server.
pub(crate) const SERVE: &str = "--serve";

/// Size of the response body, in bytes.
pub(crate) const BODY: usize = 1024;

/// The server process. It ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts this program a second time, as the server.
    pub(crate) fn start() -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg(SERVE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("the server prints its port");
        let port = line.trim().parse().expect("a port is a number");
        Self { child, port }
    }

    /// Returns the base URL of the server.
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server stops at the end of its input.
        drop(self.child.stdin.take());
        self.child.wait().expect("the server ends");
    }
}

/// Serves until the end of the input. `fields` are the first fields of the object in each response, as JSON.
pub(crate) fn serve(fields: &str) -> ExitCode {
    machine::stay_on_last();
    let response = response(fields);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    println!("{}", listener.local_addr().expect("it has an address").port());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let response = Arc::clone(&response);
            thread::spawn(move || answer_all(stream?, &response));
        }
    });
    io::copy(&mut io::stdin(), &mut io::sink()).expect("the input ends");
    ExitCode::SUCCESS
}

/// Returns a response whose object is padded with an extra field.
fn response(fields: &str) -> Arc<str> {
    let (head, tail) = (format!("{{{fields},\"note\":\""), "\"}");
    let padding = "x".repeat(BODY - head.len() - tail.len());
    let response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
         content-length: {BODY}\r\ndate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n{head}{padding}{tail}"
    );
    response.into()
}

/// Answers requests one after another. Clients do not pipeline.
fn answer_all(mut stream: TcpStream, response: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        let count = stream.read(buffer.get_mut(filled..).unwrap_or_default())?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        if buffer.get(..filled).is_some_and(|request| request.ends_with(b"\r\n\r\n")) {
            stream.write_all(response.as_bytes())?;
            filled = 0;
        }
    }
}

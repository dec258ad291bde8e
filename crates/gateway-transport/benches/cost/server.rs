//! A server that answers everything with 1 KB, in a process of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::{env, io, thread};

use crate::machine;

/// The argument that makes this program the server.
pub(crate) const SERVE: &str = "--serve";

/// How many bytes the body of the answer has.
pub(crate) const BODY: usize = 1024;

/// The process of the server; it ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts this program once more, as the server.
    pub(crate) fn start() -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg(SERVE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let said = child.stdout.take().expect("its output is a pipe");
        BufReader::new(said).read_line(&mut line).expect("the server says its port");
        let port = line.trim().parse().expect("a port is a number");
        Self { child, port }
    }

    /// Returns where it listens.
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input tells it to stop.
        drop(self.child.stdin.take());
        self.child.wait().expect("the server ends");
    }
}

/// Serves until the end of the input.
pub(crate) fn serve() -> ExitCode {
    machine::stay_on_last();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    println!("{}", listener.local_addr().expect("it has an address").port());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer_all(stream?));
        }
    });
    io::copy(&mut io::stdin(), &mut io::sink()).expect("the input ends");
    ExitCode::SUCCESS
}

/// A balance, with a member that fills it up.
fn body() -> String {
    let (head, tail) = (r#"{"credits_number":"1250.50","currency":"EUR","note":""#, r#""}"#);
    format!("{head}{}{tail}", "x".repeat(BODY - head.len() - tail.len()))
}

/// Answers one request after the other. Nobody sends the next one before the answer to the one before.
fn answer_all(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
         content-length: {BODY}\r\ndate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n{}",
        body()
    );
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        let count = stream.read(buffer.get_mut(filled..).unwrap_or_default())?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        if buffer.get(..filled).is_some_and(|request| request.ends_with(b"\r\n\r\n")) {
            stream.write_all(answer.as_bytes())?;
            filled = 0;
        }
    }
}

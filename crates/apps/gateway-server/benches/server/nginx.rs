//! The same bytes from nginx, which sends them from files. Both servers write an access log, to a file.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::process::{Server, median, pause, request};

/// Measures small responses and the whole `candidates/list`, and small responses beside readers of the list.
pub(crate) fn measure(database: &str, token: &str, directory: &Path) {
    if Command::new("nginx").arg("-v").stderr(Stdio::null()).status().is_err() {
        println!("nginx is not installed: skipped the comparison with it");
        return;
    }
    let cached = start(database, &["--list-cache", "4096"], directory, "cached");
    // The second call caches the list.
    let body = [cached.list(token, true), cached.list(token, false)].into_iter().next().unwrap().1;
    let site = directory.join("site");
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("list.json"), body).unwrap();
    std::fs::write(site.join("credits.json"), cached.credits(token)).unwrap();
    let nginx = start_nginx(directory);

    let [mut rates, mut cpu]: [[Vec<f64>; 2]; 2] = Default::default();
    for _ in 0..ROUNDS {
        for (index, server) in [&nginx, &cached].into_iter().enumerate() {
            let (rate, _, time) = server.requests(token, CONNECTIONS);
            rates[index].push(rate);
            cpu[index].push(time);
        }
    }
    report("small responses, requests/s", rates);
    report("CPU time of a small response, us", cpu);
    let mut rates: [Vec<f64>; 2] = Default::default();
    // A list takes a tenth of a second.
    for round in 0..ROUNDS * 10 {
        // Each of them comes first as often as the other.
        for index in [round % 2, 1 - round % 2] {
            rates[index].push([&nginx, &cached][index].rate(token));
        }
    }
    report("the list from the cache, MB/s", rates);

    let cold = start(database, &["--list-cache", "0"], directory, "cold");
    for (name, server) in [("cached lists", &cached), ("cold lists", &cold), ("nginx", &nginx)] {
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            alone.push(server.requests(token, CONNECTIONS).1);
            beside.push(beside_readers(server, token));
        }
        let (alone, beside) = (median(alone), median(beside));
        println!(
            "p99 of credits/get, {name}: alone {alone:.2} ms, beside {SLOW} slow and {GZIP} gzip readers {beside:.2} ms = {:.1} times",
            beside / alone
        );
    }
}

fn start(database: &str, more: &[&str], directory: &Path, name: &str) -> Server {
    Server::with_log(database, more, &directory.join(name))
}

fn report(what: &str, rates: [Vec<f64>; 2]) {
    let rounds = rates[0].len();
    let [nginx, ours] = rates.map(median);
    println!(
        "{what} (medians of {rounds}): nginx {nginx:.1}, ours {ours:.1} = {:.2} times",
        ours / nginx
    );
}

/// Returns p99 of `credits/get` while clients read the whole list, some at about 1 MB/s and some compressed, as fast as
/// they can.
fn beside_readers(server: &Server, token: &str) -> f64 {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..SLOW + GZIP {
            let is_slow = number < SLOW;
            let plain = request("candidates/list", token, "close");
            let gzip = plain.replace("\r\n\r\n", "\r\nAccept-Encoding: gzip\r\n\r\n");
            let (over, request) = (&over, if is_slow { plain } else { gzip });
            scope.spawn(move || {
                let mut piece = vec![0; 100_000];
                while !over.load(Ordering::Relaxed) {
                    let mut socket = server.connect();
                    socket.write_all(request.as_bytes()).unwrap();
                    while !over.load(Ordering::Relaxed)
                        && !matches!(socket.read(&mut piece), Ok(0) | Err(_))
                    {
                        if is_slow {
                            pause(Duration::from_millis(100));
                        }
                    }
                }
            });
        }
        pause(Duration::from_millis(500));
        let (_, p99, _) = server.requests(token, CONNECTIONS);
        over.store(true, Ordering::Relaxed);
        p99
    })
}

fn start_nginx(directory: &Path) -> Server {
    // nginx cannot choose a free port itself.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = directory.to_str().unwrap();
    let file = directory.join("nginx.conf");
    std::fs::write(
        &file,
        CONFIGURATION.replace("@FOLDER@", folder).replace("@ADDRESS@", &address.to_string()),
    )
    .unwrap();
    let mut command = Command::new("nginx");
    command.arg("-c").arg(&file).args(["-e", "stderr"]);
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    let server = Server::of(child, address.to_string());
    let start = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "nginx does not start");
        pause(Duration::from_millis(20));
    }
    server
}

const CONFIGURATION: &str = r#"
daemon off;
pid @FOLDER@/nginx.pid;
worker_processes auto;
events { worker_connections 4096; }
http {
  access_log @FOLDER@/nginx.log combined;
  client_body_temp_path @FOLDER@/body;
  proxy_temp_path @FOLDER@/proxy;
  fastcgi_temp_path @FOLDER@/fastcgi;
  uwsgi_temp_path @FOLDER@/uwsgi;
  scgi_temp_path @FOLDER@/scgi;
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  gzip on;
  gzip_types application/json;
  keepalive_requests 1000000000;
  map $arg_method $file {
    "credits/get" /credits.json;
    "candidates/list" /list.json;
  }
  server {
    listen @ADDRESS@ backlog=4096;
    root @FOLDER@/site;
    location = /c/oauth/v1 { try_files $file =404; }
  }
}
"#;

const ROUNDS: usize = 9;
const CONNECTIONS: usize = 16;
const SLOW: usize = 32;
const GZIP: usize = 8;

//! Content codings: requested or not, valid or broken.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::case::{Case, Group, LIST, fault, head, plays};

pub(super) fn coding() -> Group {
    let list = gzip(LIST.as_bytes());
    let (data, _checksum) = list.split_at(list.len() - 8);
    let damaged = [data, &[0xff; 8]].concat();
    // Gzip members of 1 MiB, which are fast to create.
    let bomb = gzip(&vec![b' '; 1 << 20]).repeat(64);
    assert!(bomb.len() < 70_000, "{}", bomb.len());
    let cases = vec![
        coded("gzip", "gzip", &list).gzip(),
        coded("gzip announced, plain body", "gzip", LIST.as_bytes()).gzip(),
        coded("gzip, truncated", "gzip", list.split_at(list.len() / 2).0).gzip(),
        coded("gzip with a bad checksum", "gzip", &damaged).gzip(),
        coded("gzip of 64 KiB that expands to 64 MiB", "gzip", &bomb).gzip().large(),
        coded("gzip with trailing garbage", "gzip", &[&*list, b"CANARY"].concat()).gzip(),
        coded("gzip within gzip", "gzip, gzip", &gzip(&list)).gzip(),
        coded("zstd instead of gzip", "zstd", LIST.as_bytes()).gzip(),
        coded("gzip, not requested", "gzip", &list),
        coded("zstd, not requested", "zstd", LIST.as_bytes()),
        coded("identity", "identity", LIST.as_bytes()),
    ];
    Group { name: "coding", cases }
}

fn coded(name: &str, coding: &str, body: &[u8]) -> Case {
    let length = body.len();
    let lines = format!("content-encoding: {coding}\r\ncontent-length: {length}\r\n");
    // Without `connection: close`, the second request could still be sent on the connection that is closing.
    let lines = lines + "connection: close\r\n";
    fault(name, plays([head(&lines).as_bytes(), body].concat()))
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

//! Tests in Node: the client on `fetch`, and the adapter under the conformance kit.
//!
//! The program `wasm-tests` starts the peers and gives their addresses in variables. Without one, its test does
//! nothing.
#![cfg(all(target_family = "wasm", target_os = "unknown"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod kit;

/// Returns a variable of the environment, which only Node's `process` knows here.
fn variable(name: &str) -> Option<String> {
    let property = |object, name: &str| js_sys::Reflect::get(&object, &name.into()).ok();
    let process = property(js_sys::global().into(), "process")?;
    property(property(process, "env")?, name)?.as_string()
}

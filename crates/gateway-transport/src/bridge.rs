//! Turns one kind of transport into the other: [`OnThread`] for blocking callers, [`OffThread`] for async callers.
mod off_thread;
mod on_thread;
mod runtime_thread;

pub use self::off_thread::OffThread;
pub use self::on_thread::OnThread;

//! From one of the two traits to the other: [`OnThread`] for blocking callers, [`OffThread`] for async ones.
mod off_thread;
mod on_thread;

pub use self::off_thread::OffThread;
pub use self::on_thread::OnThread;

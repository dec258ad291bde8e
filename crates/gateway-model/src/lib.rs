//! Types and queries of the recruitment gateway: no I/O, no HTTP, no runtime.

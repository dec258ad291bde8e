//! The recruitment gateway service over SQLite or PostgreSQL.

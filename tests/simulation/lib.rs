//! A deterministic simulation of the clients, the server and the mirror. There is nothing to import from here.

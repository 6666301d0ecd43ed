#ifndef CLOOPBACK_H
#define CLOOPBACK_H

/// Starts an HTTP server on 127.0.0.1 that answers every request with status 200 and 2 bytes.
///
/// Connections are kept alive, each on a thread of its own; requests must have no body. The server runs until
/// the process ends.
///
/// Returns the port, or -1 if the system refuses one.
int loopback_start(void);

/// Starts an HTTP server on 127.0.0.1 for large bodies: it answers `GET /N` with N zeros, and any other
/// method after the body has arrived. A body needs a Content-Length. The server runs until the process ends.
///
/// Returns the port, or -1 if the system refuses one.
int large_loopback_start(void);

/// A port on 127.0.0.1 that was free a moment ago, or -1.
int loopback_free_port(void);

/// Whether a server on 127.0.0.1 accepts a connection within the time.
int loopback_wait_for(int port, int milliseconds);

#endif

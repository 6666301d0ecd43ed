#ifndef CLOOPBACK_H
#define CLOOPBACK_H

/// Starts an HTTP server on 127.0.0.1 that answers every request with status 200 and 2 bytes.
///
/// Connections are kept alive, each on a thread of its own; requests must have no body. The server
/// lasts as long as the process.
///
/// Returns the port, or -1 where the system refuses one.
int loopback_start(void);

/// Starts an HTTP server on 127.0.0.1 for large bodies: `GET /N` is answered with N zeros, and any other method is
/// answered when its body has come. A body needs a Content-Length. The server lasts as long as the process.
///
/// Returns the port, or -1 where the system refuses one.
int large_loopback_start(void);

/// A port on 127.0.0.1 that was free a moment ago, or -1.
int loopback_free_port(void);

/// Whether a server on 127.0.0.1 takes a connection within so many milliseconds.
int loopback_wait_for(int port, int milliseconds);

#endif

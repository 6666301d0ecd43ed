#ifndef CLOOPBACK_H
#define CLOOPBACK_H

/// Starts an HTTP server on 127.0.0.1 that answers every request with status 200 and 2 bytes.
///
/// Connections are kept alive, each on a thread of its own; requests must have no body. The server
/// lasts as long as the process.
///
/// Returns the port, or -1 where the system refuses one.
int loopback_start(void);

#endif

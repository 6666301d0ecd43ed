#ifndef CLOOPBACK_H
#define CLOOPBACK_H

#include <stddef.h>
#include <stdint.h>

/// Starts an HTTP server on 127.0.0.1 that answers every request with status 200 and 2 bytes.
///
/// Connections are kept alive, each on a thread of its own; requests must have no body. The server runs until
/// the process ends.
///
/// Returns the port, or -1 if the system refuses one.
int loopback_start(void);

/// Starts an HTTP server on 127.0.0.1 for large bodies.
///
/// The server answers `GET /N` with N zeros, and any other method after the body has arrived. A body needs a
/// Content-Length. The server runs until the process ends.
///
/// Returns the port, or -1 if the system refuses one.
int large_loopback_start(void);

/// A server with workers and a queue.
typedef struct queueing_loopback queueing_loopback;

/// Starts an HTTP server on 127.0.0.1 that has workers and a queue.
///
/// A worker is a thread that sleeps for a service time, and then answers with status 200 and 2 bytes.
///
/// Waiting requests begin in the order in which they came. If the queue has no place for a request, it is answered
/// with 503 at once. The workers also work on requests whose callers have gone.
///
/// When a worker begins a request, it takes the next service time, in nanoseconds; after the last time, it starts again
/// with the first. The times have to stay in memory. Requests must have no body. The server runs until the process
/// ends.
///
/// Returns NULL if the system refuses a port, a thread or memory.
queueing_loopback *queueing_loopback_start(
    int workers, size_t queue_limit, const int64_t *times, size_t time_count);

/// Returns the port that the server listens on.
int queueing_loopback_port(const queueing_loopback *server);

/// Returns the number of requests that have come, including refused ones.
int64_t queueing_loopback_received(queueing_loopback *server);

/// Returns a port on 127.0.0.1 that was free a moment ago, or -1.
int loopback_free_port(void);

/// Returns whether a server on 127.0.0.1 accepts a connection within the time.
int loopback_wait_for(int port, int milliseconds);

#endif

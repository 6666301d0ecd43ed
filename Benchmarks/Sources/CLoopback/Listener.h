#ifndef LISTENER_H
#define LISTENER_H

/// Listens on 127.0.0.1, and calls a function with each connection on a thread of its own.
///
/// Returns the port, or -1 if the system refuses one.
int loopback_listen(void *(*serve)(void *connection));

#endif

#ifndef LISTENER_H
#define LISTENER_H

/// Listens on 127.0.0.1, and calls a function for each connection, each on its own thread.
///
/// The function closes the connection. Returns the port, or -1 if the system refuses one.
int loopback_listen(void (*serve)(int connection, void *context), void *context);

/// Returns how many bytes of "\r\n\r\n", the end of a request's head, have been seen after this byte; 4 means the end.
int loopback_matched(int matched, char byte);

#endif

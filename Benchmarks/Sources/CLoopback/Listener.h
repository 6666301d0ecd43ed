#ifndef LISTENER_H
#define LISTENER_H

/// Listens on 127.0.0.1, and calls a function with each connection on a thread of its own.
///
/// The function closes the connection. Returns the port, or -1 if the system refuses one.
int loopback_listen(void (*serve)(int connection, void *context), void *context);

/// How many bytes of "\r\n\r\n", the end of a request's head, are matched after a further byte; 4 is all.
int loopback_matched(int matched, char byte);

#endif

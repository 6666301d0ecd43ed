#ifndef CCURL_POLLER_H
#define CCURL_POLLER_H

#include <stdbool.h>
#include <stdint.h>

/// Waits for descriptors and for a wake-up, with epoll on Linux and kqueue on Apple's systems.
typedef struct ccurl_poller ccurl_poller;

/// A descriptor that is ready.
struct ccurl_ready {
    int descriptor;
    /// Bits 1 in, 2 out, 4 error.
    int bits;
};

/// Creates a poller; NULL if the system has no descriptor left, or no epoll or kqueue.
ccurl_poller *_Nullable ccurl_poller_make(void);
void ccurl_poller_free(ccurl_poller *_Nonnull poller);

/// Sets the events to wait for on a descriptor: bits 1 in, 2 out; 0 to stop waiting.
///
/// Returns false if the system refuses. `is_known` is true if the poller waits for the descriptor already.
bool ccurl_poller_watch(ccurl_poller *_Nonnull poller, int descriptor, int bits, bool is_known);

/// Waits until a descriptor is ready, ccurl_poller_wake is called, or the time has passed.
///
/// - milliseconds: The longest time; -1 for no limit.
///
/// Returns the number of ready descriptors.
int ccurl_poller_wait(
    ccurl_poller *_Nonnull poller, struct ccurl_ready *_Nonnull ready, int room, int milliseconds);

/// Ends the current wait, or the next one if no thread waits. Any thread may call it.
void ccurl_poller_wake(ccurl_poller *_Nonnull poller);

/// Returns whether bytes, the end or an error have arrived on an idle connection; true if the descriptor is closed.
bool ccurl_has_input(int descriptor);

/// Returns whether bytes have arrived on a connection that nobody has read; false for its end or an error.
bool ccurl_has_unread_bytes(int descriptor);

/// Returns whether a descriptor is a socket with this local port, or, for port 0, a Unix domain socket.
bool ccurl_has_local_port(int descriptor, int port);

/// Returns whether a descriptor is a TCP socket that is not connected yet.
bool ccurl_is_connecting(int descriptor);

/// Makes the attempt to connect a socket fail at once, as if the peer had reset the connection.
///
/// Returns false if the system cannot do that; only Linux can.
bool ccurl_stop_connecting(int descriptor);

/// Makes the kernel end a TCP connection whose peer acknowledges nothing for a time; only Linux can.
void ccurl_set_user_timeout(int descriptor, int milliseconds);

/// Returns the milliseconds since a TCP socket got its last byte, or was connected; -1 if the system does not tell.
int ccurl_milliseconds_since_byte(int descriptor);

/// Returns the number of files that the process may have open; 256 if the system does not tell.
int ccurl_file_limit(void);

/// Returns whether a text is an IPv4 or IPv6 address, without a port and without brackets.
bool ccurl_is_address(const char *_Nonnull text);

/// Names the calling thread; Linux keeps 15 bytes of the name.
void ccurl_name_thread(const char *_Nonnull name);

#endif

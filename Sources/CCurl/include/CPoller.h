#ifndef CCURL_POLLER_H
#define CCURL_POLLER_H

#include <stdbool.h>
#include <stdint.h>

/// Waits for descriptors and for a wake-up: epoll on Linux, kqueue on Apple's systems.
typedef struct ccurl_poller ccurl_poller;

/// A descriptor that is ready.
struct ccurl_ready {
    int descriptor;
    /// Bits 1 in, 2 out, 4 error.
    int bits;
};

/// Makes a poller; NULL where the system has no descriptor left, or no such call.
ccurl_poller *_Nullable ccurl_poller_make(void);
void ccurl_poller_free(ccurl_poller *_Nonnull poller);

/// Waits for a descriptor from now on: bits 1 in, 2 out; 0 no longer.
///
/// False where the system refuses.
bool ccurl_poller_watch(ccurl_poller *_Nonnull poller, int descriptor, int bits, bool is_known);

/// Waits until a descriptor is ready, somebody calls ccurl_poller_wake, or the time is over.
///
/// - milliseconds: -1 for ever.
/// Gives how many are ready.
int ccurl_poller_wait(
    ccurl_poller *_Nonnull poller, struct ccurl_ready *_Nonnull ready, int room, int milliseconds);

/// Ends a wait, or the next one. Any thread may call it.
void ccurl_poller_wake(ccurl_poller *_Nonnull poller);

/// Whether bytes, or the end, have come by a connection on which nothing is expected.
bool ccurl_has_input(int descriptor);

/// Whether a descriptor is a socket that is bound to a local port; 0 for one without ports.
bool ccurl_has_local_port(int descriptor, int port);

/// Whether a text is an IPv4 or IPv6 address, without a port and without brackets.
bool ccurl_is_address(const char *_Nonnull text);

/// Names the calling thread; of the name Linux keeps 15 bytes.
void ccurl_name_thread(const char *_Nonnull name);

#endif

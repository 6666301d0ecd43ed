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

/// Makes a poller; NULL if the system has no descriptor left, or does not support it.
ccurl_poller *_Nullable ccurl_poller_make(void);
void ccurl_poller_free(ccurl_poller *_Nonnull poller);

/// Sets what to wait for on a descriptor: bits 1 in, 2 out; 0 to stop waiting for it.
///
/// False if the system refuses.
bool ccurl_poller_watch(ccurl_poller *_Nonnull poller, int descriptor, int bits, bool is_known);

/// Waits until a descriptor is ready, ccurl_poller_wake is called, or the time is over.
///
/// - milliseconds: The maximum time; -1 for no limit.
/// Returns the number of ready descriptors.
int ccurl_poller_wait(
    ccurl_poller *_Nonnull poller, struct ccurl_ready *_Nonnull ready, int room, int milliseconds);

/// Ends the present wait, or the next one. Any thread may call it.
void ccurl_poller_wake(ccurl_poller *_Nonnull poller);

/// Whether bytes, the end or an error have arrived on a connection that expects nothing; true if it is closed.
bool ccurl_has_input(int descriptor);

/// Whether a descriptor is a socket that is bound to a local port; the port is 0 for a socket without ports.
bool ccurl_has_local_port(int descriptor, int port);

/// Whether a text is an IPv4 or IPv6 address, without a port and without brackets.
bool ccurl_is_address(const char *_Nonnull text);

/// Names the calling thread; Linux keeps 15 bytes of the name.
void ccurl_name_thread(const char *_Nonnull name);

#endif

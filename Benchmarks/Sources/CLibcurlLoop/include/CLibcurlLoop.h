#ifndef CLIBCURLLOOP_H
#define CLIBCURLLOOP_H

/// A loop over libcurl in C: the lower bound for a transport over libcurl that delivers its results the same way.
///
/// One thread waits for sockets by epoll and makes the transfers. Each result goes to a second thread, which requests
/// the next transfer; an inline loop does both on the first thread. Handles are used again, except with libcurl
/// 7.83.0 to 8.1.0, where a handle that is used again may read freed memory. With these versions, the thread that
/// takes a result makes a new handle, as with CurlTransport. The loop works only on Linux with libcurl.so.4.
typedef struct libcurl_loop libcurl_loop;

/// Makes a loop that sends GET to a URL.
///
/// - Parameters:
///   - url: The URL.
///   - at_once: The number of transfers under way at a time.
///   - is_inline: Whether the thread that waits for sockets takes the results as well.
///   - version: libcurl's number of the HTTP version: 2 for 1.1, 4 for 2 over TLS.
///   - connections: The maximum number of connections.
///   - authorities: A file of certificates in PEM, or NULL.
///
/// Returns NULL if there is no libcurl, or if this is not Linux.
libcurl_loop *libcurl_loop_make(
    const char *url, int at_once, int is_inline, long version, long connections,
    const char *authorities);

/// Makes `count` transfers, and waits for the last. Returns the number of failed ones.
long libcurl_loop_run(libcurl_loop *loop, long count);

/// Ends the loop's threads and closes its connections.
void libcurl_loop_free(libcurl_loop *loop);

#endif

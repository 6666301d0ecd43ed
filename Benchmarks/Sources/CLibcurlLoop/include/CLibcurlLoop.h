#ifndef CLIBCURLLOOP_H
#define CLIBCURLLOOP_H

/// A loop over libcurl in C, as the least that a transport over it can cost.
///
/// One thread waits for sockets by epoll and makes the transfers; each result goes to a second thread, which
/// asks for the next transfer. Handles are used again, but with libcurl 7.83.0 to 8.1.0, where that may read
/// freed memory: the second thread then makes a new one for each transfer, as CurlTransport does. Only on Linux
/// with libcurl.so.4.
typedef struct libcurl_loop libcurl_loop;

/// Makes a loop that sends GET to a URL.
///
/// - Parameters:
///   - url: The URL.
///   - at_once: How many transfers are under way at a time.
///   - version: libcurl's number of the HTTP version: 2 for 1.1, 4 for 2 over TLS.
///   - connections: How many connections there may be.
///   - authorities: A file of certificates in PEM, or NULL.
///
/// Returns NULL where there is no libcurl, or this is not Linux.
libcurl_loop *libcurl_loop_make(
    const char *url, int at_once, long version, long connections, const char *authorities);

/// Makes so many transfers, and waits for the last; how many failed.
long libcurl_loop_run(libcurl_loop *loop, long count);

/// Ends its threads and closes its connections.
void libcurl_loop_free(libcurl_loop *loop);

#endif

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CLoopback.h"
#include "Listener.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { most = 262144 };

// Reads up to the end of a head, and returns how many bytes after the head were read with it.
static long read_head(int connection, char *buffer) {
    size_t used = 0;
    while (used < most - 1) {
        ssize_t count = read(connection, buffer + used, most - 1 - used);
        if (count <= 0) { return -1; }
        used += (size_t)count;
        buffer[used] = 0;
        char *end = strstr(buffer, "\r\n\r\n");
        if (end) { return (long)(used - (size_t)(end + 4 - buffer)); }
    }
    return -1;
}

static int send_all(int connection, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = write(connection, bytes, count);
        if (sent <= 0) { return -1; }
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

static int send_zeros(int connection, long long count) {
    static const char zeros[most];
    char head[128];
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\n\r\n", count);
    if (send_all(connection, head, (size_t)length) != 0) { return -1; }
    while (count > 0) {
        size_t part = count < most ? (size_t)count : most;
        if (send_all(connection, zeros, part) != 0) { return -1; }
        count -= (long long)part;
    }
    return 0;
}

static int take_body(int connection, char *buffer, long long count) {
    while (count > 0) {
        ssize_t got = read(connection, buffer, count < most ? (size_t)count : most);
        if (got <= 0) { return -1; }
        count -= got;
    }
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    return send_all(connection, answer, sizeof answer - 1);
}

static void serve(int connection, void *context) {
    (void)context;
    char *buffer = malloc(most);
    long extra;
    while (buffer && (extra = read_head(connection, buffer)) >= 0) {
        int fails;
        if (strncmp(buffer, "GET /", 5) == 0) {
            fails = send_zeros(connection, atoll(buffer + 5));
        } else {
            char *length = strcasestr(buffer, "\r\ncontent-length:");
            fails = !length || take_body(connection, buffer, atoll(length + 17) - extra);
        }
        if (fails) { break; }
    }
    free(buffer);
    close(connection);
}

int large_loopback_start(void) { return loopback_listen(serve, NULL); }

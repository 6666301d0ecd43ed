#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CLoopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most = 262144 };

// Reads up to the end of a head, and says how many bytes of what follows were read with it.
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

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
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
    return NULL;
}

static void *listen_for_ever(void *argument) {
    int listener = (int)(intptr_t)argument;
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) { continue; }
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) == 0) {
            pthread_detach(thread);
        } else {
            close(connection);
        }
    }
    return NULL;
}

int large_loopback_start(void) {
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 0};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 128) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0
        || pthread_create(&thread, NULL, listen_for_ever, (void *)(intptr_t)listener) != 0) {
        close(listener);
        return -1;
    }
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

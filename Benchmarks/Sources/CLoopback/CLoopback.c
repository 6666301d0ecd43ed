#include "CLoopback.h"
#include "Listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok";

int loopback_matched(int matched, char byte) {
    static const char end[] = "\r\n\r\n";
    if (byte == end[matched]) { return matched + 1; }
    return byte == '\r' ? 1 : 0;
}

// Answers each time the end of a request's head arrives.
static void serve(int connection, void *context) {
    (void)context;
    char buffer[4096];
    int matched = 0;
    for (;;) {
        ssize_t count = read(connection, buffer, sizeof buffer);
        if (count <= 0) { break; }
        for (ssize_t index = 0; index < count; index++) {
            matched = loopback_matched(matched, buffer[index]);
            if (matched < 4) { continue; }
            matched = 0;
            if (write(connection, answer, sizeof answer - 1) < 0) { break; }
        }
    }
    close(connection);
}

struct server {
    int listener;
    void (*serve)(int connection, void *context);
    void *context;
};

struct connection {
    int socket;
    const struct server *server;
};

static void *serve_connection(void *argument) {
    struct connection connection = *(struct connection *)argument;
    free(argument);
    connection.server->serve(connection.socket, connection.server->context);
    return NULL;
}

static void *listen_for_ever(void *argument) {
    struct server *server = argument;
    for (;;) {
        int connection = accept(server->listener, NULL, NULL);
        if (connection < 0) { continue; }
        int on = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *accepted = malloc(sizeof *accepted);
        if (accepted) { *accepted = (struct connection){connection, server}; }
        pthread_t thread;
        if (accepted && pthread_create(&thread, NULL, serve_connection, accepted) == 0) {
            pthread_detach(thread);
        } else {
            free(accepted);
            close(connection);
        }
    }
    return NULL;
}

int loopback_listen(void (*serve)(int connection, void *context), void *context) {
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 0};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct server *server = malloc(sizeof *server);
    if (listener < 0 || !server) { return -1; }
    *server = (struct server){listener, serve, context};
    pthread_t thread;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 128) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0
        || pthread_create(&thread, NULL, listen_for_ever, server) != 0) {
        close(listener);
        free(server);
        return -1;
    }
    pthread_detach(thread);
    return ntohs(address.sin_port);
}

int loopback_start(void) { return loopback_listen(serve, NULL); }

int loopback_free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 0};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) { return -1; }
    int fails = bind(listener, (struct sockaddr *)&address, length) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0;
    close(listener);
    return fails ? -1 : ntohs(address.sin_port);
}

int loopback_wait_for(int port, int milliseconds) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int waited = 0; waited <= milliseconds; waited += 10) {
        int connection = socket(AF_INET, SOCK_STREAM, 0);
        int fails = connect(connection, (struct sockaddr *)&address, sizeof address) != 0;
        close(connection);
        if (!fails) { return 1; }
        usleep(10000);
    }
    return 0;
}

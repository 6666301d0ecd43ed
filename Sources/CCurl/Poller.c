#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CPoller.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__)

#include <sys/epoll.h>
#include <sys/eventfd.h>

struct ccurl_poller {
    int epoll;
    int event;
};

ccurl_poller *ccurl_poller_make(void) {
    ccurl_poller *poller = malloc(sizeof(*poller));
    if (!poller) return NULL;
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    poller->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // With EPOLLET, each write is reported once, so the counter is never read.
    struct epoll_event wake = {.events = EPOLLIN | EPOLLET, .data.fd = poller->event};
    if (poller->epoll >= 0 && poller->event >= 0 &&
        epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->event, &wake) == 0)
        return poller;
    ccurl_poller_free(poller);
    return NULL;
}

void ccurl_poller_free(ccurl_poller *poller) {
    if (poller->epoll >= 0) close(poller->epoll);
    if (poller->event >= 0) close(poller->event);
    free(poller);
}

bool ccurl_poller_watch(ccurl_poller *poller, int descriptor, int bits, bool is_known) {
    struct epoll_event event = {
        .events = (bits & 1 ? EPOLLIN : 0u) | (bits & 2 ? EPOLLOUT : 0u), .data.fd = descriptor};
    int call = bits == 0 ? EPOLL_CTL_DEL : is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(poller->epoll, call, descriptor, &event) == 0 || bits == 0) return true;
    // epoll forgets a descriptor that is closed. Another socket may get the same number, and has to be added.
    call = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    return epoll_ctl(poller->epoll, call, descriptor, &event) == 0;
}

int ccurl_poller_wait(
    ccurl_poller *poller, struct ccurl_ready *ready, int room, int milliseconds) {
    struct epoll_event events[64];
    int most = room < 64 ? room : 64, used = 0;
    int count = epoll_wait(poller->epoll, events, most, milliseconds);
    // A stopped process that continues ends the wait, and sockets may be ready.
    if (count < 0 && errno == EINTR) count = epoll_wait(poller->epoll, events, most, 0);
    for (int index = 0; index < count; index++) {
        uint32_t bits = events[index].events;
        if (events[index].data.fd == poller->event) continue;
        ready[used].descriptor = events[index].data.fd;
        ready[used++].bits = (bits & (EPOLLIN | EPOLLHUP) ? 1 : 0) | (bits & EPOLLOUT ? 2 : 0) |
                             (bits & EPOLLERR ? 4 : 0);
    }
    return used;
}

void ccurl_poller_wake(ccurl_poller *poller) {
    uint64_t one = 1;
    // The write fails only after 2^64 - 2 wake-ups.
    ssize_t written = write(poller->event, &one, sizeof(one));
    (void)written;
}

#elif defined(__APPLE__)

#include <sys/event.h>
#include <sys/time.h>

struct ccurl_poller {
    int queue;
};

ccurl_poller *ccurl_poller_make(void) {
    ccurl_poller *poller = malloc(sizeof(*poller));
    if (!poller) return NULL;
    poller->queue = kqueue();
    struct kevent wake;
    EV_SET(&wake, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    if (poller->queue >= 0 && kevent(poller->queue, &wake, 1, NULL, 0, NULL) == 0) return poller;
    ccurl_poller_free(poller);
    return NULL;
}

void ccurl_poller_free(ccurl_poller *poller) {
    if (poller->queue >= 0) close(poller->queue);
    free(poller);
}

bool ccurl_poller_watch(ccurl_poller *poller, int descriptor, int bits, bool is_known) {
    (void)is_known;
    struct kevent changes[2], results[2];
    EV_SET(&changes[0], descriptor, EVFILT_READ, (bits & 1 ? EV_ADD : EV_DELETE) | EV_RECEIPT, 0, 0, NULL);
    EV_SET(&changes[1], descriptor, EVFILT_WRITE, (bits & 2 ? EV_ADD : EV_DELETE) | EV_RECEIPT, 0, 0, NULL);
    int count = kevent(poller->queue, changes, 2, results, 2, NULL);
    for (int index = 0; index < count; index++) {
        bool is_wanted = bits & (results[index].filter == EVFILT_READ ? 1 : 2);
        if (is_wanted && results[index].data != 0) return false;
    }
    return count == 2;
}

int ccurl_poller_wait(
    ccurl_poller *poller, struct ccurl_ready *ready, int room, int milliseconds) {
    struct kevent events[64];
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    int count = kevent(
        poller->queue, NULL, 0, events, room < 64 ? room : 64, milliseconds < 0 ? NULL : &limit);
    int used = 0;
    for (int index = 0; index < count; index++) {
        if (events[index].filter == EVFILT_USER) continue;
        ready[used].descriptor = (int)events[index].ident;
        ready[used++].bits = (events[index].filter == EVFILT_READ ? 1 : 2) |
                             (events[index].flags & EV_ERROR ? 4 : 0);
    }
    return used;
}

void ccurl_poller_wake(ccurl_poller *poller) {
    struct kevent wake;
    EV_SET(&wake, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    kevent(poller->queue, &wake, 1, NULL, 0, NULL);
}

#else

ccurl_poller *ccurl_poller_make(void) { return NULL; }
void ccurl_poller_free(ccurl_poller *poller) { (void)poller; }
bool ccurl_poller_watch(ccurl_poller *poller, int descriptor, int bits, bool is_known) {
    (void)poller, (void)descriptor, (void)bits, (void)is_known;
    return false;
}
int ccurl_poller_wait(
    ccurl_poller *poller, struct ccurl_ready *ready, int room, int milliseconds) {
    (void)poller, (void)ready, (void)room, (void)milliseconds;
    return 0;
}
void ccurl_poller_wake(ccurl_poller *poller) { (void)poller; }

#endif

bool ccurl_has_input(int descriptor) {
    // The check changes nothing, even if the descriptor belongs to another file now.
    struct pollfd socket = {.fd = descriptor, .events = POLLIN};
    return poll(&socket, 1, 0) > 0;
}

bool ccurl_has_unread_bytes(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool ccurl_has_local_port(int descriptor, int port) {
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
        struct sockaddr_storage room;
    } address;
    socklen_t size = sizeof(address);
    if (getsockname(descriptor, &address.any, &size) != 0) return false;
    switch (address.any.sa_family) {
    case AF_INET: return ntohs(address.ipv4.sin_port) == port;
    case AF_INET6: return ntohs(address.ipv6.sin6_port) == port;
    case AF_UNIX: return port == 0;
    default: return false;
    }
}

bool ccurl_is_connecting(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int kind = 0;
    socklen_t kind_size = sizeof(kind);
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &kind_size) != 0) return false;
    if (kind != SOCK_STREAM) return false;
    return getpeername(descriptor, (struct sockaddr *)&address, &size) != 0 && errno == ENOTCONN;
}

bool ccurl_stop_connecting(int descriptor) {
    return shutdown(descriptor, SHUT_RDWR) == 0;
}

void ccurl_set_user_timeout(int descriptor, int milliseconds) {
#if defined(TCP_USER_TIMEOUT)
    unsigned int limit = (unsigned int)milliseconds;
    // The call fails for sockets that are not TCP's.
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
#else
    (void)descriptor, (void)milliseconds;
#endif
}

int ccurl_milliseconds_since_byte(int descriptor) {
#if defined(__linux__)
    struct tcp_info info;
    socklen_t size = sizeof(info);
    memset(&info, 0, sizeof(info));
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    return info.tcpi_last_data_recv > INT32_MAX ? INT32_MAX : (int)info.tcpi_last_data_recv;
#else
    (void)descriptor;
    return -1;
#endif
}

int ccurl_file_limit(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 256;
    return files.rlim_cur > INT32_MAX ? INT32_MAX : (int)files.rlim_cur;
}

bool ccurl_is_address(const char *text) {
    unsigned char address[16];
    return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

void ccurl_name_thread(const char *name) {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#else
    (void)name;
#endif
}

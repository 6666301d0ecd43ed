#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CLibcurlLoop.h"

#include <stddef.h>

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};

// The first members of libcurl's version information.
struct version {
    int age;
    const char *text;
    unsigned int number;
};

static struct {
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add)(void *, void *);
    int (*multi_remove)(void *, void *);
    int (*multi_action)(void *, int, int, int *);
    struct message *(*multi_read)(void *, int *);
    struct version *(*version_info)(int);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_found = 0;
// 0 with libcurl 7.83.0 to 8.1.0, where a handle that is used again may read freed memory (issue 11101 of curl).
static int may_reuse = 1;

static void find(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) { return; }
    const struct {
        const char *name;
        void *place;
    } all[] = {
        {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_setopt", &curl.easy_setopt},
        {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_add_handle", &curl.multi_add},
        {"curl_multi_remove_handle", &curl.multi_remove},
        {"curl_multi_socket_action", &curl.multi_action},
        {"curl_multi_info_read", &curl.multi_read},
        {"curl_version_info", &curl.version_info},
    };
    for (size_t index = 0; index < sizeof all / sizeof all[0]; index++) {
        void *function = dlsym(library, all[index].name);
        if (!function) { return; }
        memcpy(all[index].place, &function, sizeof function);
    }
    unsigned int number = curl.version_info(0)->number;
    may_reuse = number < 0x075300 || number > 0x080100;
    is_found = 1;
}

// A transfer: its handle, and the body so far.
struct transfer {
    void *easy;
    struct transfer *next;
    char body[65536];
    size_t count;
    int has_failed;
};

// Transfers that one thread passes to the other.
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct transfer *first;
    struct transfer *last;
    int is_over;
};

struct libcurl_loop {
    void *multi;
    int epoll;
    int waker;
    int64_t due;
    struct queue asked;
    struct queue ended;
    struct transfer *transfers;
    int at_once;
    int is_inline;
    const char *url;
    const char *authorities;
    long version;
    pthread_t io_thread;
    pthread_t second_thread;
    pthread_mutex_t lock;
    pthread_cond_t done;
    long to_ask;
    long under_way;
    long failed;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void queue_init(struct queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
}

// Returns whether the queue was empty before.
static int queue_push(struct queue *queue, struct transfer *first, struct transfer *last) {
    pthread_mutex_lock(&queue->lock);
    int was_empty = queue->first == NULL;
    if (was_empty) { queue->first = first; } else { queue->last->next = first; }
    if (last) { queue->last = last; }
    if (was_empty) { pthread_cond_signal(&queue->filled); }
    pthread_mutex_unlock(&queue->lock);
    return was_empty;
}

static struct transfer *queue_take(struct queue *queue, int waits) {
    pthread_mutex_lock(&queue->lock);
    while (waits && !queue->first && !queue->is_over) {
        pthread_cond_wait(&queue->filled, &queue->lock);
    }
    struct transfer *first = queue->first;
    queue->first = NULL;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

static void queue_end(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->is_over = 1;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static size_t take_body(char *bytes, size_t size, size_t number, void *context) {
    struct transfer *transfer = context;
    size_t count = size * number;
    if (count > sizeof transfer->body - transfer->count) { return 0; }
    memcpy(transfer->body + transfer->count, bytes, count);
    transfer->count += count;
    return count;
}

static int watch(void *easy, int socket, int what, void *context, void *known) {
    (void)easy;
    struct libcurl_loop *loop = context;
    if (what == 4) {
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
        return 0;
    }
    struct epoll_event event = {.data.fd = socket};
    event.events = (what & 1 ? EPOLLIN : 0) | (what & 2 ? EPOLLOUT : 0);
    if (epoll_ctl(loop->epoll, EPOLL_CTL_MOD, socket, &event) != 0) {
        epoll_ctl(loop->epoll, EPOLL_CTL_ADD, socket, &event);
    }
    (void)known;
    return 0;
}

static int set_timer(void *multi, long milliseconds, void *context) {
    (void)multi;
    struct libcurl_loop *loop = context;
    loop->due = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

static void start(struct libcurl_loop *loop, struct transfer *transfer) {
    transfer->next = NULL;
    transfer->count = 0;
    curl.multi_add(loop->multi, transfer->easy);
}

static void start_asked(struct libcurl_loop *loop) {
    struct transfer *transfer = queue_take(&loop->asked, 0);
    while (transfer) {
        struct transfer *next = transfer->next;
        start(loop, transfer);
        transfer = next;
    }
}

static void make_handle(struct libcurl_loop *loop, struct transfer *transfer) {
    transfer->easy = curl.easy_init();
    curl.easy_setopt(transfer->easy, 10002, loop->url);
    curl.easy_setopt(transfer->easy, 10103, transfer);
    curl.easy_setopt(transfer->easy, 20011, take_body);
    curl.easy_setopt(transfer->easy, 10001, transfer);
    curl.easy_setopt(transfer->easy, 84, loop->version);
    curl.easy_setopt(transfer->easy, 99, 1L);
    curl.easy_setopt(transfer->easy, 237, loop->version > 2 ? 1L : 0L);
    if (loop->authorities) { curl.easy_setopt(transfer->easy, 10065, loop->authorities); }
}

// Takes the result of a transfer. Returns whether the transfer should be made again.
static int take_result(struct libcurl_loop *loop, struct transfer *transfer) {
    if (!may_reuse) {
        curl.easy_cleanup(transfer->easy);
        make_handle(loop, transfer);
    }
    pthread_mutex_lock(&loop->lock);
    if (transfer->has_failed) { loop->failed++; }
    int goes_on = loop->to_ask > 0;
    if (goes_on) { loop->to_ask--; } else if (--loop->under_way == 0) {
        pthread_cond_signal(&loop->done);
    }
    pthread_mutex_unlock(&loop->lock);
    return goes_on;
}

static void hand_over_ended(struct libcurl_loop *loop) {
    struct transfer *first = NULL, *last = NULL;
    struct message *message;
    int left;
    while ((message = curl.multi_read(loop->multi, &left))) {
        struct transfer *transfer = NULL;
        curl.easy_getinfo(message->easy, 0x100000 + 21, &transfer);
        transfer->has_failed = message->data.code != 0;
        curl.multi_remove(loop->multi, message->easy);
        if (loop->is_inline) {
            if (take_result(loop, transfer)) { start(loop, transfer); }
            continue;
        }
        if (last) { last->next = transfer; } else { first = transfer; }
        last = transfer;
    }
    if (first) { queue_push(&loop->ended, first, last); }
}

static void *wait_for_sockets(void *argument) {
    struct libcurl_loop *loop = argument;
    struct epoll_event events[64];
    int running;
    for (;;) {
        int limit = -1;
        if (loop->due >= 0) {
            int64_t rest = loop->due - now();
            limit = rest < 0 ? 0 : (int)rest;
        }
        int count = epoll_wait(loop->epoll, events, 64, limit);
        for (int index = 0; index < count; index++) {
            int socket = events[index].data.fd;
            if (socket == loop->waker) {
                uint64_t times;
                if (read(loop->waker, &times, sizeof times) < 0) { continue; }
                if (loop->asked.is_over) { return NULL; }
                start_asked(loop);
                continue;
            }
            int bits = (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? 1 : 0)
                | (events[index].events & EPOLLOUT ? 2 : 0);
            curl.multi_action(loop->multi, socket, bits, &running);
        }
        if (loop->due >= 0 && loop->due <= now()) {
            loop->due = -1;
            curl.multi_action(loop->multi, -1, 0, &running);
        }
        hand_over_ended(loop);
    }
}

static void wake(struct libcurl_loop *loop) {
    uint64_t one = 1;
    if (write(loop->waker, &one, sizeof one) < 0) { abort(); }
}

static void ask(struct libcurl_loop *loop, struct transfer *transfer) {
    transfer->next = NULL;
    if (queue_push(&loop->asked, transfer, transfer)) { wake(loop); }
}

static void *take_results(void *argument) {
    struct libcurl_loop *loop = argument;
    for (;;) {
        struct transfer *transfer = queue_take(&loop->ended, 1);
        if (!transfer) { return NULL; }
        while (transfer) {
            struct transfer *next = transfer->next;
            if (take_result(loop, transfer)) { ask(loop, transfer); }
            transfer = next;
        }
    }
}

libcurl_loop *libcurl_loop_make(
    const char *url, int at_once, int is_inline, long version, long connections,
    const char *authorities) {
    pthread_once(&once, find);
    struct libcurl_loop *loop = is_found ? calloc(1, sizeof *loop) : NULL;
    if (!loop) { return NULL; }
    loop->multi = curl.multi_init();
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->due = -1;
    loop->at_once = at_once;
    loop->is_inline = is_inline;
    loop->url = strdup(url);
    loop->authorities = authorities ? strdup(authorities) : NULL;
    loop->version = version;
    queue_init(&loop->asked);
    queue_init(&loop->ended);
    pthread_mutex_init(&loop->lock, NULL);
    pthread_cond_init(&loop->done, NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = loop->waker};
    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->waker, &event);
    curl.multi_setopt(loop->multi, 20001, watch);
    curl.multi_setopt(loop->multi, 10002, loop);
    curl.multi_setopt(loop->multi, 20004, set_timer);
    curl.multi_setopt(loop->multi, 10005, loop);
    curl.multi_setopt(loop->multi, 7, connections);
    loop->transfers = calloc((size_t)at_once, sizeof *loop->transfers);
    for (int index = 0; index < at_once; index++) {
        make_handle(loop, &loop->transfers[index]);
    }
    pthread_create(&loop->io_thread, NULL, wait_for_sockets, loop);
    pthread_create(&loop->second_thread, NULL, take_results, loop);
    return loop;
}

long libcurl_loop_run(libcurl_loop *loop, long count) {
    long first = count < loop->at_once ? count : loop->at_once;
    pthread_mutex_lock(&loop->lock);
    loop->to_ask = count - first;
    loop->under_way = first;
    loop->failed = 0;
    pthread_mutex_unlock(&loop->lock);
    for (long index = 0; index < first; index++) { ask(loop, &loop->transfers[index]); }
    pthread_mutex_lock(&loop->lock);
    while (loop->under_way > 0) { pthread_cond_wait(&loop->done, &loop->lock); }
    long failed = loop->failed;
    pthread_mutex_unlock(&loop->lock);
    return failed;
}

void libcurl_loop_free(libcurl_loop *loop) {
    queue_end(&loop->asked);
    queue_end(&loop->ended);
    wake(loop);
    pthread_join(loop->io_thread, NULL);
    pthread_join(loop->second_thread, NULL);
    for (int index = 0; index < loop->at_once; index++) {
        curl.easy_cleanup(loop->transfers[index].easy);
    }
    curl.multi_cleanup(loop->multi);
    close(loop->epoll);
    close(loop->waker);
    free(loop->transfers);
    free((char *)loop->url);
    free((char *)loop->authorities);
    free(loop);
}

#else

libcurl_loop *libcurl_loop_make(
    const char *url, int at_once, int is_inline, long version, long connections,
    const char *authorities) {
    (void)url, (void)at_once, (void)is_inline, (void)version, (void)connections, (void)authorities;
    return NULL;
}

long libcurl_loop_run(libcurl_loop *loop, long count) { return loop ? 0 : count; }

void libcurl_loop_free(libcurl_loop *loop) { (void)loop; }

#endif

#include "CLoopback.h"
#include "Listener.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
static const char refusal[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

// A request in the queue or with a worker; it lives on the stack of its connection's thread.
struct job {
    int connection;
    int is_done;
    pthread_cond_t done;
    struct job *next;
};

struct queueing_loopback {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    struct job *first, **end;
    // The number of requests in the queue and with workers, and the largest number allowed.
    size_t held, most;
    const int64_t *times;
    size_t time_count, begun;
    int64_t received;
    int port;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sleep_until(int64_t end) {
    for (int64_t rest = end - now(); rest > 0; rest = end - now()) {
        struct timespec time = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
        nanosleep(&time, NULL);
    }
}

// Waits for a job, takes the first one, and works on it, that is, sleeps for the next service time.
static void *work(void *argument) {
    struct queueing_loopback *server = argument;
    pthread_mutex_lock(&server->mutex);
    for (;;) {
        while (!server->first) { pthread_cond_wait(&server->work, &server->mutex); }
        struct job *job = server->first;
        server->first = job->next;
        if (!server->first) { server->end = &server->first; }
        int64_t time = server->times[server->begun++ % server->time_count];
        pthread_mutex_unlock(&server->mutex);
        sleep_until(now() + time);
        // A caller that doesn't wait any more has closed the connection. Then the write fails, and the work was for
        // nothing.
        ssize_t written = write(job->connection, answer, sizeof answer - 1);
        (void)written;
        pthread_mutex_lock(&server->mutex);
        server->held--;
        job->is_done = 1;
        pthread_cond_signal(&job->done);
    }
    return NULL;
}

// Waits until a worker has answered, or refuses the request.
static int take(struct queueing_loopback *server, int connection) {
    struct job job = {.connection = connection};
    pthread_mutex_lock(&server->mutex);
    server->received++;
    int is_refused = server->held == server->most;
    if (!is_refused) {
        pthread_cond_init(&job.done, NULL);
        server->held++;
        *server->end = &job;
        server->end = &job.next;
        pthread_cond_signal(&server->work);
        while (!job.is_done) { pthread_cond_wait(&job.done, &server->mutex); }
    }
    pthread_mutex_unlock(&server->mutex);
    if (!is_refused) { return pthread_cond_destroy(&job.done); }
    return write(connection, refusal, sizeof refusal - 1) < 0 ? -1 : 0;
}

static void serve(int connection, void *context) {
    char buffer[4096];
    int matched = 0;
    ssize_t count;
    while ((count = read(connection, buffer, sizeof buffer)) > 0) {
        for (ssize_t index = 0; index < count; index++) {
            matched = loopback_matched(matched, buffer[index]);
            if (matched < 4) { continue; }
            matched = 0;
            if (take(context, connection) != 0) { break; }
        }
    }
    close(connection);
}

queueing_loopback *queueing_loopback_start(
    int workers, size_t queue_limit, const int64_t *times, size_t time_count) {
    struct queueing_loopback *server = calloc(1, sizeof *server);
    if (!server) { return NULL; }
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->work, NULL);
    server->end = &server->first;
    server->most = queue_limit > SIZE_MAX - (size_t)workers ? SIZE_MAX : queue_limit + (size_t)workers;
    server->times = times;
    server->time_count = time_count;
    for (int worker = 0; worker < workers; worker++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, server) != 0) { return NULL; }
        pthread_detach(thread);
    }
    server->port = loopback_listen(serve, server);
    return server->port < 0 ? NULL : server;
}

int queueing_loopback_port(const queueing_loopback *server) { return server->port; }

int64_t queueing_loopback_received(queueing_loopback *server) {
    pthread_mutex_lock(&server->mutex);
    int64_t received = server->received;
    pthread_mutex_unlock(&server->mutex);
    return received;
}

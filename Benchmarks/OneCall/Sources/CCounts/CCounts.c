#define _GNU_SOURCE
#include "CCounts.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static atomic_bool counting;
static atomic_uint_fast64_t locks;

void count_locks(bool on) { atomic_store(&counting, on); }

uint64_t counted_locks(void) { return atomic_load(&locks); }

enum { most_frames = 1024 };

int frames(void) {
    void *addresses[most_frames];
    return backtrace(addresses, most_frames) - 1;
}

void print_frames(int descriptor) {
    void *addresses[most_frames];
    int count = backtrace(addresses, most_frames);
    fflush(stdout);
    backtrace_symbols_fd(addresses + 1, count - 1, descriptor);
}

// A program's own definition replaces that of the C library.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*_Atomic next)(pthread_mutex_t *);
    int (*lock)(pthread_mutex_t *) = next;
    if (lock == NULL) { next = lock = dlsym(RTLD_NEXT, "pthread_mutex_lock"); }
    if (atomic_load_explicit(&counting, memory_order_relaxed)) { atomic_fetch_add(&locks, 1); }
    return lock(mutex);
}

#define _GNU_SOURCE
#include "CCounts.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_bool counting;
static atomic_uint_fast64_t allocations;
static atomic_uint_fast64_t locks;

void count_calls(bool on) { atomic_store(&counting, on); }

struct counts counted(void) {
    return (struct counts){atomic_load(&allocations), atomic_load(&locks)};
}

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

// A program's own definitions of malloc and the like replace those of the C library, which are still available under
// these names. The memory comes from the C library, so the C library's free can release it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void count_one(atomic_uint_fast64_t *total) {
    if (atomic_load_explicit(&counting, memory_order_relaxed)) { atomic_fetch_add(total, 1); }
}

void *malloc(size_t size) {
    count_one(&allocations);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count_one(&allocations);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count_one(&allocations);
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one(&allocations);
    return __libc_memalign(alignment, size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*_Atomic next)(pthread_mutex_t *);
    int (*lock)(pthread_mutex_t *) = next;
    if (lock == NULL) { next = lock = dlsym(RTLD_NEXT, "pthread_mutex_lock"); }
    count_one(&locks);
    return lock(mutex);
}

#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_bool counting;
static atomic_uint_fast64_t allocations;
static atomic_uint_fast64_t bytes;

void count_allocations(bool on) {
    atomic_store_explicit(&counting, on, memory_order_relaxed);
}

struct allocation_counts counted_allocations(void) {
    return (struct allocation_counts){
        atomic_load_explicit(&allocations, memory_order_relaxed),
        atomic_load_explicit(&bytes, memory_order_relaxed),
    };
}

#if defined(__GLIBC__)

bool allocations_can_be_counted(void) { return true; }

// In a timed round, nothing is counted. Then this function costs one load, and one branch that the processor always
// predicts correctly.
static inline void count(size_t size) {
    if (__builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), 0)) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    }
}

// A program's own definitions of malloc and the like replace those of the C library, which are still available under
// these names. The memory comes from the C library, so the C library's free can release it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *memory = memalign(alignment, size);
    if (memory == NULL) { return ENOMEM; }
    *out = memory;
    return 0;
}

#else

bool allocations_can_be_counted(void) { return false; }

#endif

#ifdef __linux__
#define _GNU_SOURCE  // pthread_getattr_np
#endif
#include "CPledgeFutures.h"

#include <sched.h>
#include <time.h>

_Thread_local struct cfutures_thread_state cfutures_thread;

void cfutures_relax(uint32_t *turns) {
    uint32_t turn = *turns;
    if (turn < 38) *turns += 1;
    if (turn >= 32) {
        long microseconds = 20L << (turn - 32);
        struct timespec time = {0, (microseconds > 1000 ? 1000 : microseconds) * 1000};
        nanosleep(&time, NULL);
        return;
    }
    if (turn >= 16) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

// A function of the Swift runtime, which compiled Swift code calls too.
extern void *swift_tryRetain(void *object);

// These two aren't inlined, and an optimiser that sees their bodies, when it links the whole program, can't see through
// the empty assembly.

__attribute__((noinline)) void *cfutures_opaque(void *object) {
    __asm__ volatile("" : "+r"(object) : : "memory");
    return object;
}

void *cfutures_try_retain(void *object) { return swift_tryRetain(object); }

__attribute__((noinline)) void cfutures_retain_before_this(void) {
    __asm__ volatile("" : : : "memory");
}

// The calling thread's stack; empty if the system does not tell.
struct stack {
    uintptr_t low;
    size_t size;
};

static struct stack find_stack(void) {
    struct stack stack = {0, 0};
#if defined(__APPLE__)
    stack.size = pthread_get_stacksize_np(pthread_self());
    stack.low = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - stack.size;
#elif defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low = NULL;
        if (pthread_attr_getstack(&attributes, &low, &stack.size) == 0) stack.low = (uintptr_t)low;
        pthread_attr_destroy(&attributes);
    }
#endif
    return stack;
}

// The calling thread's stack, found once.
static const struct stack *present_stack(void) {
    static _Thread_local struct stack stack;
    static _Thread_local bool is_known;
    if (!is_known) {
        stack = find_stack();
        is_known = true;
    }
    return &stack;
}

// True if at least so many quarters of the calling thread's stack are free.
static bool are_free(size_t quarters, uintptr_t here) {
    const struct stack *stack = present_stack();
    return here > stack->low + stack->size / 4 * quarters && here < stack->low + stack->size;
}

bool cfutures_stack_has_room(void) { return are_free(2, cfutures_stack_address()); }

// The least that an event loop adds. Foundation's run loop adds about 1,000 bytes on Linux, and more on Apple's systems.
static const size_t least_of_event_loop = 600;

size_t cfutures_stack_of_event_loop(void) {
    uintptr_t here = cfutures_stack_address();
    size_t size = cfutures_thread.edge - here;
    size_t known = cfutures_thread.step;
    if (size < known + least_of_event_loop) {
        if (known == 0 || size < known) cfutures_thread.step = size;
        return 0;
    }
    return are_free(1, here) ? size : 0;
}

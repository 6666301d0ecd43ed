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

void *cfutures_opaque(void *object) { return object; }

void *cfutures_try_retain(void *object) { return swift_tryRetain(object); }

void cfutures_retain_before_this(void) {}

#include "CFutures.h"

#include <sched.h>

_Thread_local struct cfutures_thread_state cfutures_thread;

void cfutures_relax(uint32_t *turns) {
    if (*turns >= 16) {
        sched_yield();
        return;
    }
    *turns += 1;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

// An entry point of the Swift runtime that compiled code calls.
extern void *swift_tryRetain(void *object);

void *cfutures_opaque(void *object) { return object; }

void *cfutures_try_retain(void *object) { return swift_tryRetain(object); }

void cfutures_retain_before_this(void) {}

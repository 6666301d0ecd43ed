#include "CFutures.h"

#include <sched.h>
#include <time.h>

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

// What is left of the seed of this thread's disturbances; 0 where there are none.
static _Thread_local uint64_t disturbance;

void cfutures_disturb(uint64_t seed) { disturbance = seed; }

void cfutures_step(void) {
    if (disturbance == 0) return;
    // Marsaglia's xorshift, which never reaches 0.
    disturbance ^= disturbance << 13;
    disturbance ^= disturbance >> 7;
    disturbance ^= disturbance << 17;
    uint64_t chance = disturbance >> 32;
    if (chance % 4 == 0) sched_yield();
    if (chance % 64 == 1) {
        struct timespec moment = {0, 1000};
        nanosleep(&moment, NULL);
    }
}

// The entry points of the Swift runtime that compiled code uses.
extern void *swift_retain(void *object);
extern void *swift_tryRetain(void *object);

void *cfutures_retain(void *object) { return swift_retain(object); }

void *cfutures_try_retain(void *object) { return swift_tryRetain(object); }

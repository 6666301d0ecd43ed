#include "CTestSupport.h"

#include <sched.h>
#include <time.h>

// The state of this thread's random generator; 0 if there are no disturbances.
static _Thread_local uint64_t disturbance;

static int is_compiled_in;

void disturb(uint64_t seed) { disturbance = seed; }

int can_disturb(void) { return is_compiled_in; }

// The compiler's own interface: called once for each object file, with its edges.
__attribute__((no_sanitize("thread", "address"))) void __sanitizer_cov_trace_pc_guard_init(
    uint32_t *start, uint32_t *stop) {
    is_compiled_in = 1;
    for (uint32_t *edge = start; edge < stop; edge++) *edge = 1;
}

__attribute__((no_sanitize("thread", "address"))) void __sanitizer_cov_trace_pc_guard(uint32_t *edge) {
    (void)edge;
    if (disturbance == 0) return;
    // Marsaglia's xorshift, which never reaches 0.
    disturbance ^= disturbance << 13;
    disturbance ^= disturbance >> 7;
    disturbance ^= disturbance << 17;
    uint64_t chance = disturbance >> 32;
    if (chance % 16 == 0) sched_yield();
    if (chance % 256 == 1) {
        struct timespec moment = {0, 1000};
        nanosleep(&moment, 0);
    }
}

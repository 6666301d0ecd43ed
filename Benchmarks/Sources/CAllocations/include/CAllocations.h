#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// What was asked of the allocator, by every thread of the process.
struct allocation_counts {
    uint64_t allocations;
    uint64_t bytes;
};

/// Whether this platform's allocator can be counted.
bool allocations_can_be_counted(void);

/// Begins to count, or stops. A new count goes on from the last one.
void count_allocations(bool counting);

/// All that was counted so far.
struct allocation_counts counted_allocations(void);

#endif

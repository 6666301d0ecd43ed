#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// The requests to the allocator, by all threads of the process.
struct allocation_counts {
    uint64_t allocations;
    uint64_t bytes;
};

/// Returns whether allocations can be counted on this platform.
bool allocations_can_be_counted(void);

/// Starts or stops counting. A new count continues from the last one.
void count_allocations(bool counting);

/// Returns the total of all counts so far.
struct allocation_counts counted_allocations(void);

#endif

#ifndef CCOUNTS_H
#define CCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/// The requests to the allocator and the locked mutexes, by all threads of the process while counting is on.
struct counts {
    uint64_t allocations;
    uint64_t locks;
};

/// Starts or stops counting. A new count continues from the last one.
void count_calls(bool counting);

/// Returns the totals so far.
struct counts counted(void);

/// Returns the number of frames on the calling thread's stack, without this function's own.
int frames(void);

/// Writes the names of the frames on the calling thread's stack to a file descriptor, innermost first.
void print_frames(int descriptor);

#endif

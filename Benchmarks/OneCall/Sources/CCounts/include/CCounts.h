#ifndef CCOUNTS_H
#define CCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/// Starts or stops counting the mutexes that the process locks. A new count continues from the last one.
void count_locks(bool counting);

/// Returns the total of all counts so far.
uint64_t counted_locks(void);

/// Returns the number of frames on the calling thread's stack, without this function's own.
int frames(void);

/// Writes the names of the frames on the calling thread's stack to a file descriptor, innermost first.
void print_frames(int descriptor);

#endif

#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stdint.h>

/// Makes this thread yield or sleep at random branches of its code, or ends that.
///
/// This makes rare interleavings common. It has an effect if the code is compiled with
/// `-sanitize-coverage=edge,trace-pc-guard`, as .ci/run compiles it for the section `threads`: the compiler
/// then calls `__sanitizer_cov_trace_pc_guard` at each edge of the control flow.
///
/// @param seed The seed of the disturbances; 0 ends them.
void disturb(uint64_t seed);

/// Whether the code is compiled so that disturbances have an effect.
int can_disturb(void);

/// Makes the resolver of this process answer for a name of a host, whoever asks: `getaddrinfo` is the tests' own
/// where the library of the system is glibc.
///
/// @param host The name.
/// @param addresses Numeric addresses with commas between, in the order of the answer; null to forget the name.
/// @return 1, or 0 if this system's resolver cannot be replaced or there are too many names.
int set_test_name(const char *host, const char *addresses);

/// The address of this call's frame, also where AddressSanitizer keeps the locals of the caller elsewhere.
uintptr_t stack_address(void);

#endif

#include "CTestSupport.h"

__attribute__((noinline)) uintptr_t stack_address(void) {
    return (uintptr_t)__builtin_frame_address(0);
}

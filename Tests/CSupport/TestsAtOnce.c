#include <stdlib.h>

// Without a limit, Swift Testing begins all tests at once. A test that waits for an async closure then continues behind
// thousands of others, after a minute on a busy machine; and a time limit of the client that it tests may end the call.
// The limit is read before the first test, and a value from outside comes first.
__attribute__((constructor)) static void limitTestsAtOnce(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}

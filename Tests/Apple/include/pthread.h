#include_next <pthread.h>

#include <stddef.h>

// Apple's names the thread that calls it.
int pthread_setname_np(const char *name);

size_t pthread_get_stacksize_np(pthread_t thread);
void *pthread_get_stackaddr_np(pthread_t thread);

#include_next <pthread.h>

// Apple's names the thread that calls it.
int pthread_setname_np(const char *name);

// Apple's kqueue, which Linux has no header of.
#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

enum { EVFILT_READ = -1, EVFILT_WRITE = -2, EVFILT_USER = -10 };
enum { EV_ADD = 1, EV_DELETE = 2, EV_CLEAR = 0x20, EV_RECEIPT = 0x40, EV_ERROR = 0x4000 };
enum { NOTE_TRIGGER = 0x01000000 };

#define EV_SET(event, ident, filter, flags, fflags, data, udata) \
    (*(event) = (struct kevent){ident, filter, flags, fflags, data, udata})

int kqueue(void);
int kevent(
    int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
    const struct timespec *limit);

#include "CPledgeZlib.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// The layout of zlib's stream state, from zlib's manual. inflateInit2_ gets the size of this struct, and fails if the
// library was built with another layout.
struct z_stream_layout {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

enum { z_ok = 0, z_stream_end = 1, z_need_dict = 2, z_mem_error = -4, z_buf_error = -5 };

struct czlib_inflater {
    struct z_stream_layout stream;
};

static struct {
    int (*init)(struct z_stream_layout *, int, const char *, int);
    int (*inflate)(struct z_stream_layout *, int);
    int (*reset)(struct z_stream_layout *);
    int (*end)(struct z_stream_layout *);
    bool is_available;
} zlib;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// zlib compares only the first digit, because all versions with the same first digit have the same interface.
static const char expected_version[] = "1";

static void *open_library(void) {
#if defined(__APPLE__)
    return dlopen("/usr/lib/libz.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    // On Android, the library's file name has no version number.
    return library ? library : dlopen("libz.so", RTLD_NOW | RTLD_LOCAL);
#endif
}

// The library is never closed: an inflater may be in use on any thread until the process ends.
static void look_up(void) {
    void *library = open_library();
    if (!library) return;
    // Cast to void **, because ISO C can't convert an object pointer to a function pointer.
    *(void **)&zlib.init = dlsym(library, "inflateInit2_");
    *(void **)&zlib.inflate = dlsym(library, "inflate");
    *(void **)&zlib.reset = dlsym(library, "inflateReset");
    *(void **)&zlib.end = dlsym(library, "inflateEnd");
    if (!zlib.init || !zlib.inflate || !zlib.reset || !zlib.end) return;
    struct z_stream_layout probe = {0};
    if (zlib.init(&probe, czlib_format_zlib, expected_version, (int)sizeof(probe)) != z_ok) return;
    zlib.end(&probe);
    zlib.is_available = true;
}

bool czlib_is_available(void) {
    pthread_once(&once, look_up);
    return zlib.is_available;
}

struct czlib_inflater *czlib_inflater_make(enum czlib_format format) {
    if (!czlib_is_available()) return NULL;
    // zlib's state points back to the stream. So the stream must not move, and is allocated on the heap.
    struct czlib_inflater *inflater = calloc(1, sizeof(*inflater));
    if (!inflater) return NULL;
    int code = zlib.init(
        &inflater->stream, (int)format, expected_version, (int)sizeof(inflater->stream));
    if (code != z_ok) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void czlib_inflater_free(struct czlib_inflater *inflater) {
    zlib.end(&inflater->stream);
    free(inflater);
}

bool czlib_inflater_reset(struct czlib_inflater *inflater) {
    return zlib.reset(&inflater->stream) == z_ok;
}

static unsigned int clamped(size_t count) {
    return count > UINT_MAX ? UINT_MAX : (unsigned int)count;
}

enum czlib_status czlib_inflater_step(
    struct czlib_inflater *inflater, const uint8_t *in, size_t *in_count, uint8_t *out,
    size_t *out_count) {
    // zlib doesn't accept NULL, even for an empty input.
    static const uint8_t nothing = 0;
    struct z_stream_layout *stream = &inflater->stream;
    unsigned int given = in ? clamped(*in_count) : 0, room = clamped(*out_count);
    stream->next_in = in ? in : &nothing;
    stream->avail_in = given;
    stream->next_out = out;
    stream->avail_out = room;
    int code = zlib.inflate(stream, 0);
    *in_count = given - stream->avail_in;
    *out_count = room - stream->avail_out;
    stream->next_in = &nothing;
    stream->avail_in = 0;
    stream->next_out = NULL;
    stream->avail_out = 0;
    switch (code) {
    case z_ok:
    case z_buf_error:  // No progress was possible, which is not an error.
        return czlib_status_more;
    case z_stream_end:
        return czlib_status_end;
    case z_mem_error:
        return czlib_status_no_memory;
    default:  // Includes z_need_dict: HTTP defines no dictionaries for these codings.
        return czlib_status_malformed;
    }
}

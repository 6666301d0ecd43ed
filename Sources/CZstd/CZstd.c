#include "CPledgeZstd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The layout of libzstd's buffers, from its manual.
struct zstd_in_buffer {
    const void *src;
    size_t size;
    size_t pos;
};

struct zstd_out_buffer {
    void *dst;
    size_t size;
    size_t pos;
};

// The values are from libzstd's manual.
enum { zstd_reset_session = 1, zstd_window_log_max = 100 };
enum { zstd_window_too_large = 16, zstd_no_memory = 64 };

struct czstd_decoder {
    void *context;
    // True if the last step filled the output, so that more output may come without more input.
    bool is_full;
};

static struct {
    void *(*make)(void);
    size_t (*free)(void *);
    size_t (*set)(void *, int, int);
    size_t (*reset)(void *, int);
    size_t (*step)(void *, struct zstd_out_buffer *, struct zstd_in_buffer *);
    unsigned int (*is_error)(size_t);
    int (*error_code)(size_t);
    unsigned int (*version)(void);
    bool is_available;
} zstd;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// 1.4.0 is the first version with a stable form of all functions used here. Version 2 may change them.
enum { smallest_version = 10400, next_interface = 20000 };

static void *open_library(void) {
#if defined(__APPLE__)
    return NULL;  // Apple's systems have none, and a name without a folder might match any file.
#else
    return dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
}

// The library is never closed: a decoder may be in use on any thread until the process ends.
static void look_up(void) {
    void *library = open_library();
    if (!library) return;
    // Cast to void **, because ISO C can't convert an object pointer to a function pointer.
    *(void **)&zstd.make = dlsym(library, "ZSTD_createDCtx");
    *(void **)&zstd.free = dlsym(library, "ZSTD_freeDCtx");
    *(void **)&zstd.set = dlsym(library, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.reset = dlsym(library, "ZSTD_DCtx_reset");
    *(void **)&zstd.step = dlsym(library, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(library, "ZSTD_isError");
    *(void **)&zstd.error_code = dlsym(library, "ZSTD_getErrorCode");
    *(void **)&zstd.version = dlsym(library, "ZSTD_versionNumber");
    if (!zstd.make || !zstd.free || !zstd.set || !zstd.reset || !zstd.step) return;
    if (!zstd.is_error || !zstd.error_code || !zstd.version) return;
    unsigned int version = zstd.version();
    zstd.is_available = version >= smallest_version && version < next_interface;
}

bool czstd_is_available(void) {
    pthread_once(&once, look_up);
    return zstd.is_available;
}

struct czstd_decoder *czstd_decoder_make(int window_log) {
    if (!czstd_is_available()) return NULL;
    struct czstd_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    decoder->context = zstd.make();
    // The context may be NULL here: libzstd accepts NULL when it frees a context.
    if (!decoder->context
        || zstd.is_error(zstd.set(decoder->context, zstd_window_log_max, window_log))) {
        czstd_decoder_free(decoder);
        return NULL;
    }
    return decoder;
}

void czstd_decoder_free(struct czstd_decoder *decoder) {
    zstd.free(decoder->context);
    free(decoder);
}

bool czstd_decoder_reset(struct czstd_decoder *decoder) {
    decoder->is_full = false;
    return !zstd.is_error(zstd.reset(decoder->context, zstd_reset_session));
}

enum czstd_status czstd_decoder_step(
    struct czstd_decoder *decoder, const uint8_t *in, size_t *in_count, uint8_t *out,
    size_t *out_count) {
    struct zstd_in_buffer input = {in, in ? *in_count : 0, 0};
    struct zstd_out_buffer output = {out, *out_count, 0};
    *in_count = 0;
    *out_count = 0;
    // If there is neither input nor pending output, the step is skipped, because libzstd treats several such steps as
    // an error.
    if (input.size == 0 && !decoder->is_full) return czstd_status_more;
    size_t result = zstd.step(decoder->context, &output, &input);
    *in_count = input.pos;
    *out_count = output.pos;
    decoder->is_full = output.pos == output.size;
    if (result == 0) return czstd_status_end;
    if (!zstd.is_error(result)) return czstd_status_more;
    switch (zstd.error_code(result)) {
    case zstd_window_too_large:
        return czstd_status_window_too_large;
    case zstd_no_memory:
        return czstd_status_no_memory;
    default:  // Includes a frame that needs a dictionary: HTTP defines none for this coding.
        return czstd_status_malformed;
    }
}

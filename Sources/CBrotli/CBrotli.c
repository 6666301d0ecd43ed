#if !defined(__APPLE__)

#include "CPledgeBrotli.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The values are from libbrotlidec's manual.
enum { brotli_error = 0, brotli_success = 1 };
enum { brotli_first_memory_error = -21, brotli_last_memory_error = -30 };

struct cbrotli_decoder {
    void *state;
};

static struct {
    void *(*make)(void *(*)(void *, size_t), void (*)(void *, void *), void *);
    void (*free)(void *);
    int (*step)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    int (*error)(const void *);
    uint32_t (*version)(void);
    bool is_available;
} brotli;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// The highest byte of a supported version number; versions with the same highest byte have the same interface.
enum { expected_version = 1 };

// The library is never closed: a decoder may be in use on any thread until the process ends.
static void look_up(void) {
    void *library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    // Cast to void **, because ISO C can't convert an object pointer to a function pointer.
    *(void **)&brotli.make = dlsym(library, "BrotliDecoderCreateInstance");
    *(void **)&brotli.free = dlsym(library, "BrotliDecoderDestroyInstance");
    *(void **)&brotli.step = dlsym(library, "BrotliDecoderDecompressStream");
    *(void **)&brotli.error = dlsym(library, "BrotliDecoderGetErrorCode");
    *(void **)&brotli.version = dlsym(library, "BrotliDecoderVersion");
    if (!brotli.make || !brotli.free || !brotli.step || !brotli.error || !brotli.version) return;
    brotli.is_available = brotli.version() >> 24 == expected_version;
}

bool cbrotli_is_available(void) {
    pthread_once(&once, look_up);
    return brotli.is_available;
}

struct cbrotli_decoder *cbrotli_decoder_make(void) {
    if (!cbrotli_is_available()) return NULL;
    struct cbrotli_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    decoder->state = brotli.make(NULL, NULL, NULL);
    if (!decoder->state) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void cbrotli_decoder_free(struct cbrotli_decoder *decoder) {
    brotli.free(decoder->state);
    free(decoder);
}

enum cbrotli_status cbrotli_decoder_step(
    struct cbrotli_decoder *decoder, const uint8_t *in, size_t *in_count, uint8_t *out,
    size_t *out_count) {
    size_t given = in ? *in_count : 0, left = given, room = *out_count;
    int result = brotli.step(decoder->state, &left, &in, &room, &out, NULL);
    *in_count = given - left;
    *out_count -= room;
    if (result == brotli_success) return cbrotli_status_end;
    if (result != brotli_error) return cbrotli_status_more;
    int error = brotli.error(decoder->state);
    return error <= brotli_first_memory_error && error >= brotli_last_memory_error
        ? cbrotli_status_no_memory
        : cbrotli_status_malformed;
}

#endif

#if defined(__APPLE__)

#include "CPledgeBrotli.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The layout of libcompression's stream state, from its manual.
struct compression_stream_layout {
    uint8_t *dst_ptr;
    size_t dst_size;
    const uint8_t *src_ptr;
    size_t src_size;
    void *state;
};

enum { compression_ok = 0, compression_end = 1 };
enum { compression_decode = 1, compression_brotli = 0xB02 };

struct cbrotli_decoder {
    struct compression_stream_layout stream;
    // True if the last step filled the output, so that more output may come without more input.
    bool is_full;
};

static struct {
    int (*init)(struct compression_stream_layout *, int, int);
    int (*process)(struct compression_stream_layout *, int);
    int (*destroy)(struct compression_stream_layout *);
    bool is_available;
} compression;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// The library is never closed: a decoder may be in use on any thread until the process ends.
static void look_up(void) {
    void *library = dlopen("/usr/lib/libcompression.dylib", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    // Cast to void **, because ISO C can't convert an object pointer to a function pointer.
    *(void **)&compression.init = dlsym(library, "compression_stream_init");
    *(void **)&compression.process = dlsym(library, "compression_stream_process");
    *(void **)&compression.destroy = dlsym(library, "compression_stream_destroy");
    if (!compression.init || !compression.process || !compression.destroy) return;
    // Versions of libcompression without Brotli refuse this probe.
    struct compression_stream_layout probe = {0};
    if (compression.init(&probe, compression_decode, compression_brotli) != compression_ok) return;
    compression.destroy(&probe);
    compression.is_available = true;
}

bool cbrotli_is_available(void) {
    pthread_once(&once, look_up);
    return compression.is_available;
}

struct cbrotli_decoder *cbrotli_decoder_make(void) {
    if (!cbrotli_is_available()) return NULL;
    struct cbrotli_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    int code = compression.init(&decoder->stream, compression_decode, compression_brotli);
    if (code != compression_ok) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void cbrotli_decoder_free(struct cbrotli_decoder *decoder) {
    compression.destroy(&decoder->stream);
    free(decoder);
}

enum cbrotli_status cbrotli_decoder_step(
    struct cbrotli_decoder *decoder, const uint8_t *in, size_t *in_count, uint8_t *out,
    size_t *out_count) {
    struct compression_stream_layout *stream = &decoder->stream;
    size_t given = in ? *in_count : 0, room = *out_count;
    *in_count = 0;
    *out_count = 0;
    // If there is neither input nor pending output, libcompression may treat the step as an error, so it is skipped.
    if (given == 0 && !decoder->is_full) return cbrotli_status_more;
    stream->src_ptr = in;
    stream->src_size = given;
    stream->dst_ptr = out;
    stream->dst_size = room;
    int code = compression.process(stream, 0);
    *in_count = given - stream->src_size;
    *out_count = room - stream->dst_size;
    decoder->is_full = stream->dst_size == 0;
    if (code == compression_end) return cbrotli_status_end;
    return code == compression_ok ? cbrotli_status_more : cbrotli_status_malformed;
}

#endif

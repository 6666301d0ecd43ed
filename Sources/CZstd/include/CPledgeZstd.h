#ifndef CPLEDGE_ZSTD_H
#define CPLEDGE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's decoder of Zstandard (RFC 8878), libzstd, looked up on first use.
///
/// It is neither linked nor included: neither the build of this package nor a program that uses it requires
/// the library. Apple's systems have none.

/// How one step ended.
enum czstd_status {
    /// There is more to do: give more input, or more room for output.
    czstd_status_more,
    /// The frame has ended; the rest of the input is not part of it.
    czstd_status_end,
    /// The input is malformed.
    czstd_status_malformed,
    /// The frame needs a larger window than is allowed.
    czstd_status_window_too_large,
    /// There is no memory left.
    czstd_status_no_memory,
};

/// The decompressor. One thread at a time may use it.
struct czstd_decoder;

/// Whether the system has a decoder with the expected version of the interface.
bool czstd_is_available(void);

/// Makes a decoder of frames, to be freed by czstd_decoder_free.
///
/// NULL if the system has none or if there is no memory. `window_log` is the base-2 logarithm of the largest
/// window, in bytes: how far back in the output a frame may refer.
struct czstd_decoder *_Nullable czstd_decoder_make(int window_log);

/// Frees a decoder.
void czstd_decoder_free(struct czstd_decoder *_Nonnull decoder);

/// Starts again, with another frame. False if that fails.
bool czstd_decoder_reset(struct czstd_decoder *_Nonnull decoder);

/// Decompresses as much of one frame as the input and the room for output allow.
///
/// No pointer is kept. `in_count` and `out_count` are the available bytes on entry, and the used bytes on
/// return. A skippable frame is a frame without output.
enum czstd_status czstd_decoder_step(
    struct czstd_decoder *_Nonnull decoder, const uint8_t *_Nullable in, size_t *_Nonnull in_count,
    uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

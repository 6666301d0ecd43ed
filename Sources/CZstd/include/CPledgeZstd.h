#ifndef CPLEDGE_ZSTD_H
#define CPLEDGE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's Zstandard decoder (RFC 8878), libzstd, looked up on first use.
///
/// It is neither linked nor included. The package builds and runs without the library. Apple's systems don't have it.

/// The result of a step.
enum czstd_status {
    /// The step needs more input, or more room for output.
    czstd_status_more,
    /// The frame has ended; the rest of the input isn't part of it.
    czstd_status_end,
    /// The input is malformed.
    czstd_status_malformed,
    /// The frame needs a larger window than allowed.
    czstd_status_window_too_large,
    /// There isn't enough memory.
    czstd_status_no_memory,
};

/// A decompressor, used by one thread at a time.
struct czstd_decoder;

/// Returns whether the system has a decoder with the expected version of the interface.
bool czstd_is_available(void);

/// Creates a decoder of frames, to be freed by czstd_decoder_free.
///
/// Returns NULL if `czstd_is_available` returns false, if libzstd refuses `window_log`, or if there isn't enough
/// memory. `window_log` is the base-2 logarithm of the largest window, in bytes. The window is how far back in the
/// output a frame may refer.
struct czstd_decoder *_Nullable czstd_decoder_make(int window_log);

/// Frees a decoder.
void czstd_decoder_free(struct czstd_decoder *_Nonnull decoder);

/// Starts again with another frame. Returns false if that fails.
bool czstd_decoder_reset(struct czstd_decoder *_Nonnull decoder);

/// Decompresses as much of one frame as the input and the room for output allow.
///
/// The function keeps no pointer. On entry, `in_count` and `out_count` are the numbers of available bytes; on return,
/// they are the numbers of used bytes. A skippable frame counts as a frame without output.
enum czstd_status czstd_decoder_step(
    struct czstd_decoder *_Nonnull decoder, const uint8_t *_Nullable in, size_t *_Nonnull in_count,
    uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

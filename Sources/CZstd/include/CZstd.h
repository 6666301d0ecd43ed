#ifndef CZSTD_H
#define CZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's decoder of Zstandard (RFC 8878), libzstd, looked up when it is first needed.
///
/// It is neither linked nor included: a machine that builds this package need not have its headers,
/// and one that runs it need not have it. Apple's systems have none.

/// How one step ended.
enum czstd_status {
    /// There is more to do: give more input, or more room for output.
    czstd_status_more,
    /// The frame has ended; what is left of the input is no part of it.
    czstd_status_end,
    /// The input is malformed.
    czstd_status_malformed,
    /// The frame asks for a window of more bytes than are allowed.
    czstd_status_window_too_large,
    /// There is no memory left.
    czstd_status_no_memory,
};

/// What decompresses. One thread at a time may use it.
struct czstd_decoder;

/// Whether the system has a decoder, of a version with the expected interface.
bool czstd_is_available(void);

/// Makes a decoder of frames, to be freed by czstd_decoder_free.
///
/// NULL where the system has none or there is no memory. `window_log` is the logarithm to the base 2
/// of how many bytes of what came out a frame may refer to.
struct czstd_decoder *_Nullable czstd_decoder_make(int window_log);

/// Frees a decoder.
void czstd_decoder_free(struct czstd_decoder *_Nonnull decoder);

/// Begins anew, with another frame. False where that fails.
bool czstd_decoder_reset(struct czstd_decoder *_Nonnull decoder);

/// Decompresses as much of one frame as there is input and room for.
///
/// No pointer is kept. The counts are bytes: `in_count` and `out_count` are how many there are, and
/// become how many were used. A skippable frame is a frame without output.
enum czstd_status czstd_decoder_step(
    struct czstd_decoder *_Nonnull decoder, const uint8_t *_Nullable in, size_t *_Nonnull in_count,
    uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

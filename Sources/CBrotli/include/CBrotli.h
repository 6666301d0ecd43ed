#ifndef CBROTLI_H
#define CBROTLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's decoder of Brotli (RFC 7932), looked up when it is first needed.
///
/// It is libbrotlidec, and on Apple's systems libcompression. It is neither linked nor included: a
/// machine that builds this package need not have its headers, and one that runs it need not have it.

/// How one step ended.
enum cbrotli_status {
    /// There is more to do: give more input, or more room for output.
    cbrotli_status_more,
    /// The compressed data has ended; what is left of the input is no part of it.
    cbrotli_status_end,
    /// The input is malformed.
    cbrotli_status_malformed,
    /// There is no memory left.
    cbrotli_status_no_memory,
};

/// What decompresses. One thread at a time may use it.
struct cbrotli_decoder;

/// Whether the system has a decoder, of a version with the expected interface.
bool cbrotli_is_available(void);

/// Makes a decoder, to be freed by cbrotli_decoder_free.
///
/// NULL where the system has none or there is no memory. It keeps at most 16 MiB of what came out, the
/// largest window of RFC 7932: the larger ones, which are no part of it, are malformed.
struct cbrotli_decoder *_Nullable cbrotli_decoder_make(void);

/// Frees a decoder.
void cbrotli_decoder_free(struct cbrotli_decoder *_Nonnull decoder);

/// Decompresses as much as there is input and room for.
///
/// No pointer is kept. The counts are bytes: `in_count` and `out_count` are how many there are, and
/// become how many were used.
enum cbrotli_status cbrotli_decoder_step(
    struct cbrotli_decoder *_Nonnull decoder, const uint8_t *_Nullable in,
    size_t *_Nonnull in_count, uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

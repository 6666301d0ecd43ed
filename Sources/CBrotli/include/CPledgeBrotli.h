#ifndef CPLEDGE_BROTLI_H
#define CPLEDGE_BROTLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's decoder of Brotli (RFC 7932), looked up on first use.
///
/// It is libbrotlidec, and on Apple's systems libcompression. It is neither linked nor included: neither the
/// build of this package nor a program that uses it requires the library.

/// How one step ended.
enum cbrotli_status {
    /// There is more to do: give more input, or more room for output.
    cbrotli_status_more,
    /// The compressed data has ended; the rest of the input is not part of it.
    cbrotli_status_end,
    /// The input is malformed.
    cbrotli_status_malformed,
    /// There is no memory left.
    cbrotli_status_no_memory,
};

/// The decompressor. One thread at a time may use it.
struct cbrotli_decoder;

/// Whether the system has a decoder with the expected version of the interface.
bool cbrotli_is_available(void);

/// Makes a decoder, to be freed by cbrotli_decoder_free.
///
/// NULL if the system has none or if there is no memory. It keeps at most 16 MiB of its output, the largest
/// window of RFC 7932: larger windows, which the RFC does not define, are malformed.
struct cbrotli_decoder *_Nullable cbrotli_decoder_make(void);

/// Frees a decoder.
void cbrotli_decoder_free(struct cbrotli_decoder *_Nonnull decoder);

/// Decompresses as much as the input and the room for output allow.
///
/// No pointer is kept. `in_count` and `out_count` are the available bytes on entry, and the used bytes on
/// return.
enum cbrotli_status cbrotli_decoder_step(
    struct cbrotli_decoder *_Nonnull decoder, const uint8_t *_Nullable in,
    size_t *_Nonnull in_count, uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

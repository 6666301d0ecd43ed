#ifndef CPLEDGE_BROTLI_H
#define CPLEDGE_BROTLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's Brotli decoder (RFC 7932), looked up on first use.
///
/// It is libcompression on Apple's systems, and libbrotlidec elsewhere. It is neither linked nor included. The package
/// builds and runs without the library.

/// The result of a step.
enum cbrotli_status {
    /// The step needs more input, or more room for output.
    cbrotli_status_more,
    /// The compressed data has ended; the rest of the input isn't part of it.
    cbrotli_status_end,
    /// The input is malformed.
    cbrotli_status_malformed,
    /// There isn't enough memory.
    cbrotli_status_no_memory,
};

/// A decompressor, used by one thread at a time.
struct cbrotli_decoder;

/// Returns whether the system has a decoder with the expected version of the interface.
bool cbrotli_is_available(void);

/// Creates a decoder, to be freed by cbrotli_decoder_free.
///
/// Returns NULL if `cbrotli_is_available` returns false, or if there isn't enough memory. The decoder keeps at most
/// 16 MiB of its output, the largest window of RFC 7932. It treats larger windows, which the RFC doesn't define, as
/// malformed.
struct cbrotli_decoder *_Nullable cbrotli_decoder_make(void);

/// Frees a decoder.
void cbrotli_decoder_free(struct cbrotli_decoder *_Nonnull decoder);

/// Decompresses as much as the input and the room for output allow.
///
/// The function keeps no pointer. On entry, `in_count` and `out_count` are the numbers of available bytes; on return,
/// they are the numbers of used bytes.
enum cbrotli_status cbrotli_decoder_step(
    struct cbrotli_decoder *_Nonnull decoder, const uint8_t *_Nullable in,
    size_t *_Nonnull in_count, uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

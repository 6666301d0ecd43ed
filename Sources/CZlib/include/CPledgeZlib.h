#ifndef CPLEDGE_ZLIB_H
#define CPLEDGE_ZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's zlib, looked up on first use.
///
/// It is neither linked nor included. The package builds without zlib's headers, and a program needs zlib only if it
/// decompresses something.

/// The format around the compressed bytes.
enum czlib_format {
    /// gzip (RFC 1952).
    czlib_format_gzip = 31,
    /// zlib (RFC 1950), which HTTP calls deflate.
    czlib_format_zlib = 15,
    /// Deflate (RFC 1951) without a wrapper, which some servers call deflate.
    czlib_format_raw = -15,
};

/// The result of a step.
enum czlib_status {
    /// The step needs more input, or more room for output.
    czlib_status_more,
    /// The compressed data has ended; the rest of the input isn't part of it.
    czlib_status_end,
    /// The input is malformed.
    czlib_status_malformed,
    /// There isn't enough memory.
    czlib_status_no_memory,
};

/// A decompressor, used by one thread at a time.
struct czlib_inflater;

/// Returns whether the system has a zlib with the expected layout.
bool czlib_is_available(void);

/// Creates an inflater, to be freed by czlib_inflater_free.
///
/// Returns NULL if zlib is missing or there isn't enough memory.
struct czlib_inflater *_Nullable czlib_inflater_make(enum czlib_format format);

/// Frees an inflater.
void czlib_inflater_free(struct czlib_inflater *_Nonnull inflater);

/// Starts again with the same format. Returns false if that fails.
bool czlib_inflater_reset(struct czlib_inflater *_Nonnull inflater);

/// Decompresses as much as the input and the room for output allow.
///
/// The function keeps no pointer. On entry, `in_count` and `out_count` are the numbers of available bytes; on return,
/// they are the numbers of used bytes.
enum czlib_status czlib_inflater_step(
    struct czlib_inflater *_Nonnull inflater, const uint8_t *_Nullable in,
    size_t *_Nonnull in_count, uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

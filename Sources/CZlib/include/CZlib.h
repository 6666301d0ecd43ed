#ifndef CZLIB_H
#define CZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The system's zlib, looked up when it is first needed.
///
/// It is neither linked nor included: a machine that builds this package need not have zlib's
/// headers, and one that runs it need not have zlib as long as nothing is to be decompressed.

/// How the bytes are wrapped.
enum czlib_format {
    /// gzip (RFC 1952).
    czlib_format_gzip = 31,
    /// zlib (RFC 1950), which HTTP calls deflate.
    czlib_format_zlib = 15,
    /// Deflate (RFC 1951) without a wrapper, which some servers call deflate.
    czlib_format_raw = -15,
};

/// How one step ended.
enum czlib_status {
    /// There is more to do: give more input, or more room for output.
    czlib_status_more,
    /// The wrapped data has ended; what is left of the input is no part of it.
    czlib_status_end,
    /// The input is malformed.
    czlib_status_malformed,
    /// There is no memory left.
    czlib_status_no_memory,
};

/// What decompresses. One thread at a time may use it.
struct czlib_inflater;

/// Whether the system has zlib, of a version with the expected layout.
bool czlib_is_available(void);

/// Makes an inflater, to be freed by czlib_inflater_free.
///
/// NULL where zlib is missing or there is no memory.
struct czlib_inflater *_Nullable czlib_inflater_make(enum czlib_format format);

/// Frees an inflater.
void czlib_inflater_free(struct czlib_inflater *_Nonnull inflater);

/// Begins anew, with the same format. False where that fails.
bool czlib_inflater_reset(struct czlib_inflater *_Nonnull inflater);

/// Decompresses as much as there is input and room for.
///
/// No pointer is kept. The counts are bytes: `in_count` and `out_count` are how many there are, and
/// become how many were used.
enum czlib_status czlib_inflater_step(
    struct czlib_inflater *_Nonnull inflater, const uint8_t *_Nullable in,
    size_t *_Nonnull in_count, uint8_t *_Nonnull out, size_t *_Nonnull out_count);

#endif

#pragma once
#include <string.h>
#include <zlib.h>

/// Compresses a whole buffer as gzip (RFC 1952). In C because `deflateInit2` is a macro.
///
/// length: of the buffer at `result`, and then of what was written there.
/// Returns Z_OK, or Z_BUF_ERROR if it is too small, or Z_MEM_ERROR.
static inline int parley_gzip(const unsigned char *bytes, unsigned count, unsigned char *result, unsigned *length) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    // 15 bits of window; 16 more ask for the frame of gzip.
    int status = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    if (status != Z_OK) return status;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = count;
    stream.next_out = result;
    stream.avail_out = *length;
    status = deflate(&stream, Z_FINISH);
    *length = *length - stream.avail_out;
    deflateEnd(&stream);
    return status == Z_STREAM_END ? Z_OK : status == Z_OK ? Z_BUF_ERROR : status;
}

/// Begins to decompress a zlib stream (RFC 1950). In C because `inflateInit` is a macro.
///
/// Returns Z_OK, or Z_MEM_ERROR; then there is nothing to end.
static inline int parley_inflate_begin(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit(stream);
}

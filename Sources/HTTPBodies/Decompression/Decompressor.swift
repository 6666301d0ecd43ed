import PledgeHTTPNetworking

/// One stream of compressed bytes, from its first byte to its last.
///
/// Not to be used by two threads at once: code that shares it holds a lock.
protocol Decompressor: AnyObject {
    /// Decompresses as much as the input and the output space allow.
    ///
    /// - Parameter room: The size of the output buffer in bytes, at least one.
    /// - Throws: ``DecompressionFailure``.
    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep

    /// Begins again, after the end of the compressed data.
    ///
    /// - Throws: ``DecompressionFailure``: with the code `trailingBytes` if nothing may follow the end.
    func reset() throws(DecompressionFailure)
}

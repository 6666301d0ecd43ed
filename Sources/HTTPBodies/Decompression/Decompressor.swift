import HTTPNetworking

/// One stream of compressed bytes, from its first byte to its last.
///
/// Not to be used by two threads at once: code that shares it holds a lock.
protocol Decompressor: AnyObject {
    /// Decompresses as much as there is input, and room for output.
    ///
    /// - Parameter room: How many bytes of output there may be, at least one.
    /// - Throws: ``DecompressionFailure``.
    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressedStep

    /// Begins anew, after the end of what was compressed.
    ///
    /// - Throws: ``DecompressionFailure``: with the code `trailingBytes` where nothing may follow the end.
    func reset() throws(DecompressionFailure)
}

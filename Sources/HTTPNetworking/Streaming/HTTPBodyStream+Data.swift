import PledgeFutures

extension HTTPBodyStream {
    /// A stream of bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - size: How many bytes a chunk has at most. Less than one is a programming error and traps.
    public convenience init(_ data: Data, chunksOf size: Int = 65_536) {
        precondition(size > 0, "a chunk has at least 1 byte, not \(size)")
        let rest = Locked(data)
        self.init(
            length: Int64(data.count),
            next: {
                rest.withLock { rest in
                    guard !rest.isEmpty else { return Future(value: nil) }
                    // A copy, so that a retained chunk does not retain all bytes.
                    let chunk = Data(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    return Future(value: chunk)
                }
            })
    }
}

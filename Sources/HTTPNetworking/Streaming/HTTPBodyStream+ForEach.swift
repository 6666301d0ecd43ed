public import PledgeFutures

extension HTTPBodyStream {
    /// Calls a function with each remaining chunk, one after the other.
    ///
    /// The next chunk is requested when the function's future has resolved, so a slow writer reads slowly. It
    /// runs in constant stack and memory, however many chunks there are.
    ///
    /// - Parameter body: Called with each chunk, on the thread on which that chunk, or the future
    ///   returned for the one before, settled.
    /// - Returns: A future that resolves after the last chunk. It rejects with the stream's error, or with
    ///   the error of the function or its future; the rest of the stream is then cancelled. Cancelling it
    ///   cancels the stream and the future that is awaited.
    public func forEach(
        _ body: @escaping @Sendable (Data) throws -> Future<Void>
    ) -> Future<Void> {
        readOn(body).onEnd { result in
            if case .failure = result { self.cancel() }
        }
    }

    /// Loops over the available chunks, and continues when the next one arrives.
    private func readOn(_ body: @escaping @Sendable (Data) throws -> Future<Void>) -> Future<Void> {
        while true {
            let next = next()
            guard case .success(let chunk) = next.result else {
                return next.flatMap { chunk in
                    guard let chunk else { return Future(value: ()) }
                    return try body(chunk).flatMap { self.readOn(body) }
                }
            }
            guard let chunk else { return Future(value: ()) }
            do {
                let work = try body(chunk)
                if case .success = work.result { continue }
                return work.flatMap { self.readOn(body) }
            } catch {
                return Future(error: error)
            }
        }
    }

    /// All remaining bytes, in one piece.
    ///
    /// Linear in the number of bytes.
    ///
    /// - Parameter limit: The largest number of bytes. If there are more, at most one chunk beyond it is
    ///   read; the stream is then cancelled.
    /// - Returns: A future of the bytes. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyTooLarge`` if there are more, and with the stream's error. Cancelling it
    ///   cancels the stream.
    public func collected(upTo limit: Int) -> Future<Data> {
        let collected = Locked(Data())
        return forEach { chunk in
            try collected.withLock { data in
                guard chunk.count <= limit - data.count else {
                    throw HTTPError(code: .bodyTooLarge, reason: "the limit of \(limit) bytes")
                }
                data.append(chunk)
            }
            return Future(value: ())
        }
        .mapWithoutOrigin { collected.withLock { $0 } }
    }
}

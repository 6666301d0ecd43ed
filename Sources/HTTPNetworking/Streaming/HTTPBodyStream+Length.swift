import PledgeFutures

extension HTTPBodyStream {
    /// The same bytes; the stream fails if they are fewer or more than announced.
    ///
    /// The result reads this stream, which must not be read otherwise.
    ///
    /// - Parameter length: How many bytes there have to be.
    /// - Returns: A stream with that length. It fails with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyLengthMismatch`` instead of the chunk that exceeds the length, and instead of
    ///   an early end.
    public func checkingLength(_ length: Int64) -> HTTPBodyStream {
        let rest = Locked(length)
        return wrapped(length: length) { chunk in
            let isRight = rest.withLock { rest in
                rest -= Int64(chunk?.count ?? 0)
                return chunk == nil ? rest == 0 : rest >= 0
            }
            guard isRight else { throw HTTPError(code: .bodyLengthMismatch) }
        }
    }

    /// The same chunks; a function observes each chunk and the end.
    ///
    /// - Parameter look: Called with each chunk, then with nil. If it throws, the result fails with that
    ///   error.
    func wrapped(
        length: Int64?, _ look: @escaping @Sendable (Data?) throws -> Void
    ) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                self.next().mapWithoutOrigin { chunk in
                    do { try look(chunk) } catch {
                        self.cancel()
                        throw error
                    }
                    return chunk
                }
            },
            cancel: { self.cancel() })
    }
}

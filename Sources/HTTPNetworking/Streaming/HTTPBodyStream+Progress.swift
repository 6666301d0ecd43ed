import PledgeFutures

extension HTTPBodyStream {
    /// Reports how much was read.
    ///
    /// The result reads this stream, which must not be read otherwise.
    ///
    /// - Parameter report: Called with each chunk, before the reader gets it, on the thread on which it
    ///   arrived, never twice at the same time: with the number of bytes so far, including this chunk, and
    ///   the number of all bytes, nil if that is not known.
    /// - Returns: A stream of the same bytes, of the same length.
    public func reportingProgress(
        to report: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> HTTPBodyStream {
        let completed = Locked<Int64>(0)
        let total = length
        return wrapped(length: length) { chunk in
            guard let chunk else { return }
            let count = completed.withLock { completed in
                completed += Int64(chunk.count)
                return completed
            }
            report(count, total)
        }
    }
}

extension HTTPRequest.Body {
    /// Reports how many bytes of the body the transport has taken.
    ///
    /// The bytes may still be in buffers of the transport and the system, so the last report comes before the
    /// server has everything.
    ///
    /// - Parameter report: Called as in ``HTTPBodyStream/reportingProgress(to:)``. Each attempt to
    ///   send the body counts from zero. An empty body reports nothing.
    /// - Returns: A body of the same bytes, as replayable as this one. It equals no other.
    public func reportingProgress(
        to report: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> HTTPRequest.Body {
        if isEmpty { return self }
        let source = HTTPRequest.BodySource(length: length, isReplayable: isReplayable) {
            try self.open().reportingProgress(to: report)
        }
        return HTTPRequest.Body(.stream(source), contentType: contentType)
    }
}

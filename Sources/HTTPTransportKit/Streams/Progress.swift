import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

/// A function that a transfer calls while bytes are sent or received.
///
/// - Parameters:
///   - sent: The number of bytes so far.
///   - expected: The number of bytes in all; nil if it is unknown.
public typealias HTTPProgress = @Sendable (_ sent: Int64, _ expected: Int64?) -> Void

extension Middleware where Input == HTTPRequest {
    /// Reports how many bytes of each request's body the transport has taken.
    ///
    /// See `HTTPRequest.Body.reportingProgress(to:)`. Simultaneous calls are counted separately.
    ///
    /// - Parameter report: Called with the number of bytes so far, and the total number, which is nil if it is unknown.
    public static func uploadProgress(
        _ report: @escaping HTTPProgress
    ) -> Middleware {
        Middleware { next in
            { request in
                var request = request
                request.body = request.body.reportingProgress(to: report)
                return next(request)
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Reports how many bytes of each response's body have been read.
    ///
    /// See `HTTPBodyStream.reportingProgress(to:)`. Simultaneous calls are counted separately.
    ///
    /// - Parameter report: Called with the number of bytes so far, and the total number, which is nil if it is unknown.
    public static func downloadProgress(
        _ report: @escaping HTTPProgress
    ) -> Middleware {
        Middleware { next in
            { request in
                next(request).mapWithoutOrigin { response in
                    var response = response
                    response.body = response.body.reportingProgress(to: report)
                    return response
                }
            }
        }
    }
}

extension HTTPBodyStream {
    /// Reports how many bytes have been read.
    ///
    /// The result reads this stream, so don't read this stream yourself.
    ///
    /// - Parameter report: Called for each chunk before the reader gets the chunk, on the thread where the chunk
    ///   arrived, and never twice at the same time. It gets the number of bytes so far, including this chunk, and the
    ///   total number, which is nil if it is unknown.
    /// - Returns: A stream of the same bytes and the same length.
    public func reportingProgress(
        to report: @escaping HTTPProgress
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
    /// The last report comes before the server has received everything, because bytes may still be in buffers of the
    /// transport and the system.
    ///
    /// - Parameter report: Called as in `HTTPBodyStream.reportingProgress(to:)`. Each attempt to send the body counts
    ///   from zero. An empty body reports nothing.
    /// - Returns: A body of the same bytes, which is replayable if this body is, and equal to no other body.
    public func reportingProgress(
        to report: @escaping HTTPProgress
    ) -> HTTPRequest.Body {
        if isEmpty { return self }
        let source = HTTPRequest.BodySource(length: length, isReplayable: isReplayable) {
            try self.open().reportingProgress(to: report)
        }
        return HTTPRequest.Body(.stream(source), contentType: contentType)
    }
}

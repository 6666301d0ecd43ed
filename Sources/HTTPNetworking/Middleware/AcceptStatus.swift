public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPTransportKit
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Turns a response with an unaccepted status into an error.
    ///
    /// ```swift
    /// let service = stack(.retry(), .acceptStatus(), over: transport.send)
    /// ```
    ///
    /// The error is an `HTTPError` with the code `HTTPError.Code.unacceptableStatus`. It keeps the request
    /// and the response. An accepted response passes at once, unchanged.
    ///
    /// If the body is streamed, the error keeps its beginning: at most `limit` bytes, read for at most `time`. If the
    /// body is longer or slower, or if reading it fails, the error keeps the bytes that arrived, and the error's cause
    /// says why the rest is missing.
    ///
    /// A retry above this middleware sees the error; a retry below it sees the response. `.redirect`, `.authorize` and
    /// `.cache` work the same in both places, because they also read the response in the error.
    ///
    /// - Parameters:
    ///   - statuses: The accepted statuses.
    ///   - limit: The most bytes of a streamed body to keep. Less than zero is a programming error and traps.
    ///   - time: The longest time to read a streamed body.
    ///   - scheduler: The clock that measures `time`.
    public static func acceptStatus(
        _ statuses: some RangeExpression<Int> & Sendable = 200...299, keeping limit: Int = 65_536,
        within time: Duration = .seconds(1), on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        precondition(limit >= 0, "acceptStatus keeps zero bytes or more, not \(limit)")
        return Middleware(named: "acceptStatus") { service in
            { request in
                let context = CallContext.current
                let accepts: @Sendable (Output) -> Bool = { response in
                    statuses.contains(response.status)
                        || response.status == 206 && request.context.acceptsPart
                }
                let answer = service(request)
                if answer.hasSucceeded(accepts) { return answer }
                return answer.flatMapAtEnd { result in
                    guard case .success(let response)? = result, !accepts(response) else {
                        return nil
                    }
                    return context.run {
                        response.refused(
                            for: request, keeping: limit, within: time, on: scheduler)
                    }
                }
            }
        }
    }
}

extension HTTPResponseHead {
    /// Returns a future that fails with the error for the status, once the kept part of the body has arrived.
    package func refused<Output: Sendable>(
        for request: HTTPRequest, keeping limit: Int, within time: Duration = .errorBody,
        on scheduler: some FutureScheduler
    ) -> Future<Output> {
        let error = HTTPError(code: .unacceptableStatus, request: request, response: head)
        return beginning(upTo: limit, within: time, on: scheduler).flatMap { beginning in
            var error = error
            error.response?.body = beginning.data
            error.cause = beginning.missing
            return Future(error: error)
        }
    }

    private func beginning(
        upTo limit: Int, within time: Duration, on scheduler: some FutureScheduler
    ) -> Future<BodyBeginning> {
        if let bodyStream { return bodyStream.beginning(upTo: limit, within: time, on: scheduler) }
        return collected(upTo: limit).mapWithoutOrigin { BodyBeginning(data: $0.body) }
            .recover { BodyBeginning(missing: $0) }
    }
}

/// The server's response, even if `.acceptStatus()` has turned the response into an error.
///
/// Middleware that decides by a response's status reads the status here. So the middleware works the same above and
/// below `.acceptStatus()`.
extension Result where Success: HTTPResponseHead, Failure == any Error {
    /// The value of a success, or the response in the error of `.acceptStatus()`; nil for any other error.
    package var answer: (any HTTPResponseHead)? {
        switch self {
        case .success(let response): response
        case .failure(let error): (error as? HTTPError)?.refused
        }
    }

    /// The status, headers and URL of ``answer``, without an allocation.
    package var answerHead: (status: Int, headers: HTTPHeaders, url: URL?)? {
        switch self {
        case .success(let response): (response.status, response.headers, response.url)
        case .failure(let error):
            (error as? HTTPError)?.refused.map { ($0.status, $0.headers, $0.url) }
        }
    }

    /// The same result with `url` added to its response; nil if there is no response, or if its URL is already set.
    package func located(at url: URL) -> Result? {
        guard let head = answerHead, head.url == nil else { return nil }
        switch self {
        case .success(var response):
            response.url = url
            return .success(response)
        case .failure(let error):
            guard var error = error as? HTTPError else { return nil }
            error.response?.url = url
            return .failure(error)
        }
    }
}

extension HTTPError {
    /// The response whose status was not accepted; nil for other errors.
    package var refused: HTTPResponse? { code == .unacceptableStatus ? response : nil }
}

/// The beginning of a body, and the reason if the body is incomplete.
struct BodyBeginning: Sendable {
    var data = Data()

    /// The reason why bytes are missing; nil if the bytes are complete.
    var missing: (any Error)?
}

extension HTTPBodyStream {
    /// Reads at most `limit` bytes, for at most `time`, then cancels the rest of the stream.
    ///
    /// The future never fails: if the stream fails, the future's value contains both the error and the bytes that
    /// arrived before the error.
    func beginning(
        upTo limit: Int, within time: Duration, on scheduler: some FutureScheduler
    ) -> Future<BodyBeginning> {
        let collected = Locked(Data())
        let read = read(upTo: limit, collected).timeout(time, on: scheduler) {
            HTTPError(code: .timedOut, reason: TimeLimit.errorBody(time).words)
        }
        return read.recover { error in
            BodyBeginning(data: collected.withLock { $0 }, missing: error)
        }
    }

    private func read(upTo limit: Int, _ collected: Locked<Data>) -> Future<BodyBeginning> {
        next().flatMap { chunk in
            guard let chunk else {
                return Future(value: BodyBeginning(data: collected.withLock { $0 }))
            }
            let isTooLong = collected.withLock { data in
                let room = limit - data.count
                data.append(chunk.prefix(room))
                return chunk.count > room
            }
            guard isTooLong else { return self.read(upTo: limit, collected) }
            self.cancel()
            return Future(error: HTTPError(code: .bodyTooLarge))
        }
    }
}

import Services

extension Outcome {
    /// What a response with a status and headers means.
    ///
    /// - Parameter now: The system's date.
    init(status: Int, headers: HTTPHeaders, now: @autoclosure () -> HTTPDate) {
        switch status {
        case 100...399: self = .success
        case 408, 429, 500, 502, 503, 504:
            self = .retryable(after: RetryAfter.delay(in: headers, now: now()))
        case 413:
            // Too large for ever, unless the server says until when.
            let delay = RetryAfter.delay(in: headers, now: now())
            self = delay.map { .retryable(after: $0) } ?? .success
        case 400...499: self = .success
        default: self = .failure
        }
    }
}

public import Services

extension HTTPResponseHead {
    /// What the response means to the policies: retry, hedge, circuit breaker, fallback, memoise.
    ///
    /// | Status | Outcome |
    /// |---|---|
    /// | 2xx, 3xx | success |
    /// | 408, 429, 500, 502, 503, 504 | retryable, after the delay of Retry-After where there is one |
    /// | 413 with Retry-After | retryable after that |
    /// | any other 4xx | success: the service is well, and it is the request that is wrong |
    /// | any other | failure |
    ///
    /// Retry-After is a number of seconds, or a date. A date counts from the response's own Date, or
    /// from the system's where that one is missing. What is no such thing, or is in the past, is
    /// ignored, and no delay is longer than 2³¹ seconds.
    public var advisedOutcome: Outcome {
        Outcome(status: status, headers: headers, now: .now)
    }
}

extension HTTPResponse: OutcomeAdvising {}

extension HTTPStreamedResponse: OutcomeAdvising {}

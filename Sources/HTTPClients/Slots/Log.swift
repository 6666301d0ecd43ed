extension HTTPClient {
    /// A log of the client's exchanges, line by line.
    ///
    /// ```swift
    /// client.log = .init { line in print(line) }
    /// ```
    ///
    /// Each exchange writes one line, `HTTPExchange.logLine`. A repeated request is another exchange.
    public struct Log: Sendable {
        /// Writes a line, which has no newline.
        ///
        /// The function may be called on any thread, and on several at the same time. The client's call waits until the
        /// function returns.
        package var write: @Sendable (_ line: String) -> Void

        /// Adds the headers to the lines, with "…" for each value that may be a secret.
        package var showsHeaders: Bool

        /// Also writes a line, `PolicyEvent.logLine`, for each event of a policy.
        package var showsEvents: Bool

        /// Creates a log.
        ///
        /// - Parameters:
        ///   - showsHeaders: Adds the headers to the lines, with "…" for each value that may be a secret.
        ///   - showsEvents: Also writes a line for each event of a policy.
        ///   - write: Writes a line, which has no newline.
        public init(
            headers showsHeaders: Bool = false, events showsEvents: Bool = false,
            _ write: @escaping @Sendable (_ line: String) -> Void
        ) {
            self.write = write
            self.showsHeaders = showsHeaders
            self.showsEvents = showsEvents
        }
    }
}

extension HTTPClient {
    /// Where lines about what happens are written.
    ///
    /// ```swift
    /// client.log = .init { line in print(line) }
    /// ```
    ///
    /// There is one line for each exchange, `HTTPExchange.logLine`, also for each that a retry repeats.
    public struct Log {
        /// Writes a line, without a newline; called on any thread, also on several at the same time.
        ///
        /// The call waits until it returns.
        public var write: @Sendable (_ line: String) -> Void

        /// Whether the lines hold the headers, with "…" for each value that may be a secret.
        public var showsHeaders: Bool

        /// Whether there is a line for each event of a policy as well, `PolicyEvent.logLine`.
        public var showsEvents: Bool

        /// Makes a log.
        ///
        /// - Parameters:
        ///   - showsHeaders: Whether the lines hold the headers, with "…" for each value that may be a secret.
        ///   - showsEvents: Whether there is a line for each event of a policy as well.
        ///   - write: Writes a line, without a newline.
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

extension HTTPClient.Log: Sendable {}

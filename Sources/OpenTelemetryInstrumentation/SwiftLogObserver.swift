#if Observability
public import Logging
public import PledgeServices

extension ServiceObserver {
    /// Logs a message to a swift-log logger for each event.
    ///
    /// ```swift
    /// let api = stack(.observed(by: .logging(to: logger)), .retry(), over: transport)
    /// ```
    ///
    /// The message is the policy and the event, like "retry retrying". The metadata has the keys and values of
    /// `PolicyEvent.logLine`: `call`, `span`, `attempt`, `at_ms`, and the event's own facts. An error appears as its
    /// type and its code. Inputs and outputs aren't logged.
    ///
    /// - Parameters:
    ///   - logger: The logger. Called on the thread of the event, by several threads at the same time.
    ///   - level: Returns the level of an event's message. If the level is below the logger's, no message is created.
    public static func logging(
        to logger: Logger,
        at level: @escaping @Sendable (PolicyEvent) -> Logger.Level = { _ in .debug }
    ) -> ServiceObserver {
        ServiceObserver { event in
            let level = level(event)
            guard level >= logger.logLevel else { return }
            let metadata = event.lineFacts.map { ($0.key, Logger.MetadataValue.string($0.value)) }
            logger.log(
                level: level, "\(event.policy) \(event.kind.word)",
                metadata: Logger.Metadata(metadata) { _, last in last })
        }
    }
}
#endif

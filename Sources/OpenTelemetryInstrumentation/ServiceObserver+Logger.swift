#if Observability
public import Logging
public import PledgeServices

extension ServiceObserver {
    /// Writes a message to a logger of swift-log for each event.
    ///
    /// ```swift
    /// let api = stack(.observed(by: .logging(to: logger)), .retry(), over: transport)
    /// ```
    ///
    /// The message is the policy and the event, like "retry retrying". The metadata are the keys and values of
    /// `PolicyEvent.logLine`: `call`, `span`, `attempt`, `at_ms`, and what belongs to the event. An error is
    /// written as its type and its code; inputs and outputs are not written.
    ///
    /// - Parameters:
    ///   - logger: Called on the thread of the event, by several threads at the same time.
    ///   - level: The level of an event's message. No message is made for an event whose level is below the
    ///     logger's.
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

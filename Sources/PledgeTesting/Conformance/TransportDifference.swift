/// What a transport is known to do otherwise than a check requires.
public struct TransportDifference {
    /// Why it does.
    public let reason: String

    /// Whether the check would end the process, or the test, and is not run.
    let cannotRun: Bool

    /// The check is run, and must fail.
    ///
    /// - Parameter reason: Why it does.
    public static func differs(_ reason: String) -> Self { Self(reason: reason, cannotRun: false) }

    /// The check would end the process, and is not run.
    ///
    /// - Parameter reason: Why it would.
    public static func traps(_ reason: String) -> Self { Self(reason: reason, cannotRun: true) }
}

extension TransportDifference: Sendable {}

/// A known difference of a transport from the requirement of a check.
public struct TransportDifference {
    /// The reason of the difference.
    public let reason: String

    /// Whether the check is not run, because it would end the process or the test.
    let cannotRun: Bool

    /// The check is run, and must fail.
    ///
    /// - Parameter reason: The reason of the difference.
    public static func differs(_ reason: String) -> Self { Self(reason: reason, cannotRun: false) }

    /// The check would end the process, and is not run.
    ///
    /// - Parameter reason: The reason.
    public static func traps(_ reason: String) -> Self { Self(reason: reason, cannotRun: true) }
}

extension TransportDifference: Sendable {}

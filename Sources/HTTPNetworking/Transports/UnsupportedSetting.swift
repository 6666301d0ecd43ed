public import PledgeServices

/// The error of a transport's initializer for a setting that the transport does not support.
public struct UnsupportedSetting: Error {
    /// The setting, as named in ``ConnectionSettings``: "tls.pinnedKeys".
    public let setting: String

    /// The reason why the transport does not support it, and an alternative.
    public let reason: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - setting: The setting, as named in ``ConnectionSettings``.
    ///   - reason: The reason why the transport does not support it, and an alternative.
    public init(_ setting: String, _ reason: String) {
        self.setting = setting
        self.reason = reason
    }
}

extension UnsupportedSetting: CustomStringConvertible {
    /// The setting and the reason.
    public var description: String { "\(setting): \(reason)" }
}

extension UnsupportedSetting: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension UnsupportedSetting: CallerError {
    /// Nothing was sent.
    public var isCertainlyUnsent: Bool { true }
}

extension UnsupportedSetting: Hashable {}

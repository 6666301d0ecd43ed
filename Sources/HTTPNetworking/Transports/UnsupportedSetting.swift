public import Services

/// A setting that a transport cannot keep, told when the transport is made.
public struct UnsupportedSetting: Error {
    /// The setting, as named in ``ConnectionSettings``: "tls.pinnedKeys".
    public let setting: String

    /// Why the transport cannot keep it, and what can.
    public let reason: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - setting: The setting, as it stands in ``ConnectionSettings``.
    ///   - reason: Why the transport cannot keep it, and what can.
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

extension UnsupportedSetting: CallersMistake {
    /// Nothing was sent.
    public var isCertainlyUnsent: Bool { true }
}

extension UnsupportedSetting: Hashable {}

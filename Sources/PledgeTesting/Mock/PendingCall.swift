public import Pledge

/// A call of a ``MockNetwork`` that waits for an answer, for a test to inspect or print.
public struct PendingCall {
    /// Its place among all calls of the network, counted from 1.
    public let number: Int

    /// What was asked for.
    public let endpoint: Endpoint

    /// Whether the test has taken it with `MockNetwork.next()`.
    public let isTaken: Bool
}

extension PendingCall: CustomStringConvertible {
    /// The call in one line, such as `call 1, GET /products/7, not taken`.
    public var description: String {
        "call \(number), \(endpoint), \(isTaken ? "taken" : "not taken")"
    }
}

extension PendingCall: Hashable {}

extension PendingCall: Sendable {}

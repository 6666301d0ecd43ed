import CTestSupport
import PledgeFutures

/// The name of a host for which this process's resolver answers as a test says, whichever library asks.
///
/// The name ends with this object.
package final class TestName: Sendable {
    /// This system's resolver cannot be replaced.
    package struct Unsupported: Error {}

    private static let count = Locked(0)

    /// The name, such as "n7.test".
    package let host: String

    /// Makes a new name.
    ///
    /// - Parameter addresses: Numeric addresses, in the order of the resolver's answer.
    package init(_ addresses: [String]) throws {
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        host = "n\(number).test"
        try move(to: addresses)
    }

    deinit { _ = set_test_name(host, nil) }

    /// Gives the name other addresses.
    package func move(to addresses: [String]) throws {
        guard set_test_name(host, addresses.joined(separator: ",")) == 1 else {
            throw Unsupported()
        }
    }
}

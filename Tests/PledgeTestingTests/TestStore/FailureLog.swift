import Futures
import PledgeTesting

/// What a test store has failed with, in place of failing the test.
final class FailureLog: Sendable {
    private let entries = Locked<[(message: String, location: TestSourceLocation)]>([])

    var messages: [String] { entries.withLock { $0.map(\.message) } }
    var locations: [TestSourceLocation] { entries.withLock { $0.map(\.location) } }
    var lines: [UInt] { locations.map(\.line) }

    @Sendable func add(_ message: String, at location: TestSourceLocation) {
        entries.withLock { $0.append((message, location)) }
    }
}

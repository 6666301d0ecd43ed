import Futures

/// What a test store has failed with, in place of failing the test.
final class FailureLog: Sendable {
    private let entries = Locked<[(message: String, fileID: String, line: UInt)]>([])

    var messages: [String] { entries.withLock { $0.map(\.message) } }
    var lines: [UInt] { entries.withLock { $0.map(\.line) } }
    var files: [String] { entries.withLock { $0.map(\.fileID) } }

    @Sendable func add(_ message: String, _ fileID: StaticString, _ line: UInt) {
        entries.withLock { $0.append((message, "\(fileID)", line)) }
    }
}

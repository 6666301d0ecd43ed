import PledgeTesting
import TestSupport

/// A failure of a test store, which is recorded here and does not fail the test.
struct StoreFailure: Sendable {
    let message: String
    let location: TestSourceLocation
}

extension TestLog<StoreFailure> {
    var messages: [String] { elements.map(\.message) }
    var locations: [TestSourceLocation] { elements.map(\.location) }
    var lines: [UInt] { locations.map(\.line) }

    @Sendable func add(_ message: String, at location: TestSourceLocation) {
        append(StoreFailure(message: message, location: location))
    }
}

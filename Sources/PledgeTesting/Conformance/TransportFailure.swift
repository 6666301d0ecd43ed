/// A transport that did not do what a check requires.
public struct TransportFailure: Error {
    /// The check.
    public let check: TransportCheck

    /// What was seen instead.
    public let seen: String

    /// The line of the test that has run the check.
    public let location: TestSourceLocation

    init(check: TransportCheck, _ seen: String, at location: TestSourceLocation) {
        self.check = check
        self.seen = seen
        self.location = location
    }
}

extension TransportFailure: CustomStringConvertible {
    /// The requirement, what was seen, and the path and line of the test.
    public var description: String {
        "\(check.requirement) (\(check.name.rawValue)): \(seen) (at \(location))"
    }
}

/// What a check saw and did not expect.
struct Unexpected: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Fails the check where a condition does not hold.
func require(_ condition: Bool, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(seen()) }
}

/// Fails the check where a value is not the one that is required.
func require<Value: Equatable>(_ name: String, _ seen: Value, is required: Value) throws {
    let text = { (value: Value) in
        let all = "\(value)"
        return all.count > 200 ? "\(all.prefix(200))…" : all
    }
    if seen != required {
        throw Unexpected("\(name) is \(text(seen)) where \(text(required)) is required")
    }
}

public import PledgeTesting

/// The failure of a transport to meet the requirement of a check.
public struct TransportFailure: Error {
    /// The check.
    public let check: TransportCheck

    /// The observed behaviour.
    public let seen: String

    /// The line of the test that ran the check.
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

/// Unexpected behaviour that a check observed.
struct Unexpected: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Fails the check if a condition does not hold.
func require(_ condition: Bool, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(seen()) }
}

/// Fails the check if a value is not the required one.
func require<Value: Equatable>(_ name: String, _ seen: Value, is required: Value) throws {
    let text = { (value: Value) in
        let all = "\(value)"
        return all.count > 200 ? "\(all.prefix(200))…" : all
    }
    if seen != required {
        throw Unexpected("\(name) is \(text(seen)) where \(text(required)) is required")
    }
}

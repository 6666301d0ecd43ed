import PledgeServices

/// A value of JSON (RFC 8259) whose members keep their order.
indirect enum JSONValue {
    case null
    /// A number, as it stands in the text.
    case literal(String)
    case text(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// A number; null if there is none, or if it is infinite.
    ///
    /// It has nine digits after the point at most: a nanosecond of seconds.
    static func number(_ number: Double?) -> JSONValue {
        guard let number, number.isFinite else { return .null }
        return .literal(number.shortText(digits: 9))
    }

    /// A whole number.
    static func number(_ number: Int) -> JSONValue { .literal("\(number)") }

    /// The value in one line.
    var line: String {
        switch self {
        case .null: "null"
        case .literal(let text): text
        case .text(let text): text.quoted
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\($0.name.quoted):\($0.value.line)" }.joined(separator: ",") + "}"
        }
    }

    /// The value with a line for each member, and for each element of an array of objects.
    var lines: String {
        guard case .object(let members) = self else { return line }
        let lines = members.map { "  \($0.name.quoted): \($0.value.lineOrLinesOfObjects)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private var lineOrLinesOfObjects: String {
        guard case .array(let values) = self, case .object? = values.first else { return line }
        return "[\n" + values.map { "    " + $0.line }.joined(separator: ",\n") + "\n  ]"
    }
}

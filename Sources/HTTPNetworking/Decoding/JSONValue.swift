/// Any JSON value, for data whose type is not known beforehand.
///
/// Objects and arrays lie in one another up to 100 deep; decoding deeper ones fails. A server could otherwise
/// make the stack overflow.
public enum JSONValue {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number that an `Int` can hold.
    case integer(Int)
    /// Another number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by their names.
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    /// How many objects and arrays lie in one another, from the beginning of the data.
    private static let mostDepth = 100

    /// Reads any JSON value.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if objects and arrays lie more than 100 deep in one another,
    ///   counted from the beginning of the data.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else {
            // Each object and array adds a key.
            guard decoder.codingPath.count < Self.mostDepth else {
                throw DecodingError.dataCorruptedError(
                    in: value, debugDescription: "more than \(Self.mostDepth) levels deep")
            }
            guard var list = try? decoder.unkeyedContainer() else {
                self = .object(try value.decode([String: JSONValue].self))
                return
            }
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self = .array(values)
        }
    }
}

extension JSONValue: Hashable {}

extension JSONValue: Sendable {}

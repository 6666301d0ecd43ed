/// Any JSON value, for data whose type is not known beforehand.
///
/// Decoding fails if objects and arrays are nested more than 100 levels deep. Otherwise a server could overflow
/// the stack.
public enum JSONValue: Hashable, Sendable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number that fits an `Int`.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    /// The most levels of nested objects and arrays, counted from the root of the data.
    private static let mostDepth = 100

    /// Reads any JSON value.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if objects and arrays are nested more than 100 levels deep,
    ///   counted from the root of the data.
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
            // Each object and each array adds a key to the path, so the length of the path is the depth.
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

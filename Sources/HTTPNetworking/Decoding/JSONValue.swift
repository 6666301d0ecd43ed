/// Any JSON value, for data whose type is not known beforehand.
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
    /// Reads any JSON value.
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
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }
}

extension JSONValue: Hashable {}

extension JSONValue: Sendable {}

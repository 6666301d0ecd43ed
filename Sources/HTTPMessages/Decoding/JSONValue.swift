public import PledgeFutures

/// Any JSON value, for data whose type is not known beforehand.
///
/// ```swift
/// let value = try await client.get("/config", as: JSONValue.self)
/// if case .string(let theme)? = value["theme"]?["name"] { use(theme) }
/// ```
///
/// To send values of your own types, such as a `Date`, write a ``JSONObject``.
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

extension JSONValue: Encodable {
    /// Writes the value; an ``number(_:)`` must be finite, unless the encoder has a strategy for it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates ``null``.
    public init(nilLiteral: ()) { self = .null }

    /// Creates true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; if a name occurs twice, its last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// The object's value with this name; nil if there is none, or if this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The array's value at this index; nil if there is none, or if this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }
}

/// A JSON object written in place, whose values may have different types.
///
/// ```swift
/// let order: Order = try await client.post("/orders", json: ["product": product.id, "on": Date.now, "note": nil])
/// ```
///
/// A value is anything that is `Encodable`; nil is sent as null. The names are sent as they are written, whatever the
/// encoder does with a type's keys. For an object within an object, write `JSONObject` once more.
public struct JSONObject: Sendable {
    fileprivate let members: [String: Member]

    fileprivate struct Member: Encodable {
        let value: (any Encodable & Sendable)?

        func encode(to encoder: any Encoder) throws {
            // Through the container, so that the encoder's strategies, such as that for dates, apply.
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}

extension JSONObject: Encodable {
    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; if a name occurs twice, its last value counts.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        members = Dictionary(elements.map { ($0, Member(value: $1)) }) { _, last in last }
    }
}

extension JSONObject: DescriptionOnly {
    /// The names, without the values, which may be secret.
    public var description: String {
        "JSONObject(\(members.keys.sorted().joined(separator: ", ")))"
    }
}

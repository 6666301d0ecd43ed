public import PledgeFutures
public import PledgeHTTPText
public import PledgeServices

/// A failure to decode data: the place, the reason, and the data itself.
///
/// Its text is like "Product.items[3].price: no value for the key "price" (in 214 bytes)". It names the request,
/// if that is known. The data may hold secrets, so the text shows only the keys that lead to the place; read
/// ``data`` for the rest. If the decoder's text quotes a value of four bytes or more, "…" replaces the value. If
/// the data is larger than 1 MiB, the decoder's text is left out.
public struct DecodingFailure: Error {
    /// The kind of mismatch.
    public enum Code: String, Hashable, Sendable {
        /// A key has no value.
        case keyNotFound
        /// A required value is null or missing.
        case valueNotFound
        /// A value has a different type from the one that was asked for.
        case typeMismatch
        /// The data is not valid JSON, or a value is not valid for its type.
        case dataCorrupted
        /// The type's own decoding code threw an error that isn't a `DecodingError`.
        case other
    }

    /// The kind of mismatch.
    public let code: Code

    /// The type to decode.
    public let type: any Any.Type

    /// The path to the failure, beginning with the type, like `Product.items[3].price`.
    public let codingPath: String

    /// The decoder's error.
    public let cause: any Error

    /// The received data.
    public let data: Data

    /// The response whose body is ``data``, with its request; nil if only the data was known.
    public let response: HTTPResponse?

    /// The server-sent event whose data is ``data``; nil if the data is from elsewhere.
    public internal(set) var event: ServerSentEvent?

    /// The number of the line of JSON that is ``data``, counted from one; nil if the data is from elsewhere.
    public package(set) var line: Int?

    /// Creates the failure for a decoder's error.
    package init(
        type: any Any.Type, data: Data, cause: any Error, response: HTTPResponse? = nil
    ) {
        self.type = type
        self.data = data
        self.response = response
        self.cause = cause
        let place = Location(of: cause)
        code = place.code
        codingPath = place.keys.reduce(into: String(describing: type)) { text, key in
            text += Self.text(of: key)
        }
        var reason = place.reason + (Self.hint(for: cause, in: data) ?? "")
        if let words = place.quoting {
            // A type's own error may quote a value of any length, so the values of the data are removed from the text.
            reason +=
                data.count > Self.mostSearched
                ? "the decoder's text may quote the data, which is too long to look for that"
                : KnownSecrets(of: data, in: words).scrubbed(words)
        }
        self.reason = reason.count > 200 ? "\(reason.prefix(200))…" : reason
    }

    private let reason: String

    private static let mostSearched = 1_048_576

    /// What to do about a missing key, if the data has the same letters in another case or with other separators.
    private static func hint(for cause: any Error, in data: Data) -> String? {
        guard case .keyNotFound(let key, let context)? = cause as? DecodingError,
            data.count <= mostSearched,
            var value = try? JSONDecoder().decode(JSONValue.self, from: data)
        else { return nil }
        for key in context.codingPath {
            let next =
                key.intValue.map { value[$0] } ?? Self.name(of: key, in: value).map { value[$0] }
            guard let next = next ?? nil else { return nil }
            value = next
        }
        guard let name = name(of: key, in: value) else { return nil }
        let read = camelCase(name)
        let remedy =
            read == key.stringValue
            ? ": decode with JSONCoding.snakeCase"
            : name.contains("_")
                ? ", which .snakeCase reads as \(read.debugDescription): name the property so"
                : ": give the property a CodingKey"
        return "; the data has \(name.debugDescription)\(remedy)"
    }

    /// The name in an object that has the letters and digits of a key.
    private static func name(of key: any CodingKey, in value: JSONValue) -> String? {
        guard case .object(let members) = value else { return nil }
        if members[key.stringValue] != nil { return key.stringValue }
        func letters(_ name: String) -> String {
            name.filter { $0 != "_" && $0 != "-" }.lowercased()
        }
        let wanted = letters(key.stringValue)
        return members.keys.sorted().first { letters($0) == wanted }
    }

    /// "html_url" as "htmlUrl", the way that `convertFromSnakeCase` does.
    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        guard words.count > 1 else { return name }
        return words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
    }

    /// Formats a key in a path: `.name`, `[3]`, or `["a name"]` if the name is not an identifier.
    private static func text(of key: any CodingKey) -> String {
        if let index = key.intValue { return "[\(index)]" }
        let name = key.stringValue
        let isWord = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isWord ? ".\(name)" : "[\(name.debugDescription)]"
    }
}

extension DecodingFailure {
    private struct Location {
        var code = Code.other
        var keys: [any CodingKey] = []
        /// The reason, in this module's words.
        var reason = ""
        /// The reason, in the words of other code, which may quote the data.
        var quoting: String?

        init(of cause: any Error) {
            switch cause as? DecodingError {
            case .keyNotFound(let key, let context):
                code = .keyNotFound
                keys = context.codingPath + [key]
                reason = "no value for the key \(key.stringValue.debugDescription)"
            case .valueNotFound(let type, let context):
                code = .valueNotFound
                keys = context.codingPath
                reason = "no value where a \(type) must be"
            case .typeMismatch(_, let context):
                code = .typeMismatch
                keys = context.codingPath
                quoting = context.debugDescription
            case .dataCorrupted(let context):
                code = .dataCorrupted
                keys = context.codingPath
                let below = context.underlyingError.map { " \($0)" } ?? ""
                quoting = context.debugDescription + below
            default:
                quoting = String(describing: cause)
            }
        }
    }
}

extension DecodingFailure: DescriptionOnly, DescribedError, CodedError {
    /// The place, the reason, the line, the data's size and the request; no part of the data except keys.
    public var description: String {
        let request = response?.request.map { " that answered \($0)" } ?? ""
        let place = line.map { "line \($0), " } ?? ""
        return "\(codingPath): \(reason) (in \(place)\(data.count) bytes\(request))"
    }

    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

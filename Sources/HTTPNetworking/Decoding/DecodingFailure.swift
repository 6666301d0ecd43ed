/// Data that was not the value it should have been: where it differed, why, and the data itself.
///
/// Its text is like "Product.items[3].price: no value for the key "price" (in 214 bytes)", and names the request
/// if that is known. Of the data, which may hold secrets, it shows only the keys that lead to the place; read
/// ``data`` for the rest. If the decoder's text quotes a value of four bytes or more, "…" replaces it.
public struct DecodingFailure: Error {
    /// What kind of difference was found.
    public enum Code: String, Hashable, Sendable {
        /// A key has no value.
        case keyNotFound
        /// There is null, or nothing, where a value must be.
        case valueNotFound
        /// There is a value of another type.
        case typeMismatch
        /// The data is no valid JSON, or a value is none that its type allows.
        case dataCorrupted
        /// The type's own decoding threw some other error.
        case other
    }

    /// What kind of difference was found.
    public let code: Code

    /// The type that was to be decoded.
    public let type: any Any.Type

    /// Where it failed, from the type on, like `Product.items[3].price`.
    public let codingPath: String

    /// What the decoder threw.
    public let cause: any Error

    /// The data as it came.
    public let data: Data

    /// The response whose body it was, with its request; nil where only the data was known.
    public let response: HTTPResponse?

    /// Makes the failure that a decoder's error means.
    public init(
        type: any Any.Type, data: Data, cause: any Error, response: HTTPResponse? = nil
    ) {
        self.type = type
        self.data = data
        self.response = response
        self.cause = cause
        let place = Place(of: cause)
        code = place.code
        codingPath = place.keys.reduce(into: String(describing: type)) { text, key in
            text += Self.text(of: key)
        }
        var reason = place.reason
        if let words = place.quoting {
            // A type's own words may quote a value, however long it is.
            reason += KnownSecrets(of: data, in: words).scrubbed(words)
        }
        self.reason = reason.count > 200 ? "\(reason.prefix(200))…" : reason
    }

    private let reason: String

    /// A key as it stands in a path: `.name`, `[3]`, or `["a name"]` where it is no plain word.
    private static func text(of key: any CodingKey) -> String {
        if let index = key.intValue { return "[\(index)]" }
        let name = key.stringValue
        let isWord = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isWord ? ".\(name)" : "[\(name.debugDescription)]"
    }
}

extension DecodingFailure {
    /// What is read from a decoder's error: its kind, the keys that lead there, and its words.
    private struct Place {
        var code = Code.other
        var keys: [any CodingKey] = []
        /// What was found, in words of our own.
        var reason = ""
        /// What was found, in words of others, who may quote the data.
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

extension DecodingFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// Where, why, in how many bytes, and in the answer to what; of the data only the keys.
    public var description: String {
        let request = response?.request.map { " that answered \($0)" } ?? ""
        return "\(codingPath): \(reason) (in \(data.count) bytes\(request))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the size of the data in its place.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "codingPath": codingPath, "reason": reason, "dataBytes": data.count,
            ]
        )
    }
}

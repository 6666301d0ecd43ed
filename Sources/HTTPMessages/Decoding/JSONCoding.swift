/// Settings for encoding and decoding JSON, defined once.
///
/// ```swift
/// client.json = .iso8601
/// client.json = .iso8601.snakeCase
/// client.json = JSONCoding(decoding: { $0.dateDecodingStrategy = .secondsSince1970 })
/// ```
///
/// A client uses its settings to encode the bodies that it sends. The client, its responses and its errors use the same
/// settings to decode.
///
/// Without settings, a date is the number of seconds since 2001, which is Foundation's default. Most servers
/// write ISO 8601 instead: use ``iso8601``.
public struct JSONCoding: Sendable {
    private let configureEncoder: (@Sendable (JSONEncoder) -> Void)?
    private let configureDecoder: (@Sendable (JSONDecoder) -> Void)?

    /// Creates settings.
    ///
    /// The defaults are Foundation's, except that keys are sorted.
    ///
    /// - Parameters:
    ///   - encoding: Sets up an encoder. The encoder already sorts keys, so that equal values give equal endpoints.
    ///     Called for each value, on the caller's thread.
    ///   - decoding: Sets up a decoder. Called for each value, on the thread that decodes the value.
    public init(
        encoding: (@Sendable (JSONEncoder) -> Void)? = nil,
        decoding: (@Sendable (JSONDecoder) -> Void)? = nil
    ) {
        configureEncoder = encoding
        configureDecoder = decoding
    }

    /// Dates in the format of ISO 8601, like "2026-11-27T14:05:00Z".
    ///
    /// Fractions of a second are read, but not written.
    public static let iso8601 = JSONCoding(
        encoding: { $0.dateEncodingStrategy = .iso8601 },
        decoding: { $0.dateDecodingStrategy = .custom(date) })

    /// Keys in snake case, like "created_at" for `createdAt`.
    public static let snakeCase = JSONCoding().snakeCase

    /// The same settings with keys in snake case: `.iso8601.snakeCase`.
    ///
    /// Foundation reads "html_url" as `htmlUrl`, never as `htmlURL`: it can't know which words you write in capitals.
    /// A property `htmlURL` is written as "html_url", but reading fails, and if the property is optional, it is nil
    /// without an error. So name the property `htmlUrl`, or give it a coding key: `case htmlURL = "htmlUrl"`.
    public var snakeCase: JSONCoding {
        JSONCoding(
            encoding: { [configureEncoder] in
                configureEncoder?($0)
                $0.keyEncodingStrategy = .convertToSnakeCase
            },
            decoding: { [configureDecoder] in
                configureDecoder?($0)
                $0.keyDecodingStrategy = .convertFromSnakeCase
            })
    }

    /// Creates an encoder with these settings.
    public func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        configureEncoder?(encoder)
        return encoder
    }

    /// Creates a decoder with these settings.
    public func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        configureDecoder?(decoder)
        return decoder
    }

    /// True if these are the defaults, so that a value encoded with the defaults need not be encoded again.
    package var isStandard: Bool { configureEncoder == nil && configureDecoder == nil }

    /// Reads a date, with or without a fraction of a second.
    private static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        for fraction in [false, true] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fraction)
            if let date = try? style.parse(text) { return date }
        }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "no date in the format of ISO 8601")
    }
}

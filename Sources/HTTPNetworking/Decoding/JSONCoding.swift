/// The settings of encoding and decoding JSON, defined once.
///
/// ```swift
/// let json = JSONCoding(
///     encoding: { $0.keyEncodingStrategy = .convertToSnakeCase },
///     decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
/// let order = Endpoint(path: "/orders", method: .post, body: try .json(order, using: json))
/// let receipt: Future<Receipt> = networking(order).decoded(using: json)
/// ```
public struct JSONCoding: Sendable {
    private let configureEncoder: @Sendable (JSONEncoder) -> Void
    private let configureDecoder: @Sendable (JSONDecoder) -> Void

    /// Makes settings.
    ///
    /// The defaults are those of Foundation, except that keys are sorted.
    ///
    /// - Parameters:
    ///   - encoding: Sets up an encoder, which sorts keys by default, so that equal values
    ///     give equal endpoints. Called for each value, on the caller's thread.
    ///   - decoding: Sets up a decoder. Called for each value, on the thread that decodes it.
    public init(
        encoding: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        decoding: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        configureEncoder = encoding
        configureDecoder = decoding
    }

    /// An encoder with these settings; each call makes another one.
    public func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        configureEncoder(encoder)
        return encoder
    }

    /// A decoder with these settings; each call makes another one.
    public func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        configureDecoder(decoder)
        return decoder
    }
}

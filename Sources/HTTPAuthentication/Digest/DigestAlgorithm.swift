import PledgeHTTPNetworking

/// The algorithm of a digest (RFC 7616, section 3.3).
struct DigestAlgorithm: Equatable {
    /// The hash; a stronger one is greater.
    enum Hash: Int, Comparable {
        case md5, sha512cut, sha256

        static func < (left: Hash, right: Hash) -> Bool { left.rawValue < right.rawValue }

        /// The hash of a text's UTF-8 in hexadecimal digits.
        func callAsFunction(_ text: String) -> String { self(Array(text.utf8)) }

        /// The hash of a text with a character for each byte, in hexadecimal digits.
        func callAsFunction(ofLatin1 text: String) -> String {
            self(HTTPHeaders.bytes(ofLatin1: text) ?? Array(text.utf8))
        }

        /// The hash of some bytes in hexadecimal digits.
        func callAsFunction(_ bytes: [UInt8]) -> String {
            let hash =
                switch self {
                case .md5: MD5.hash(bytes)
                case .sha256: SHA256.hash(bytes)
                case .sha512cut: SHA512_256.hash(bytes)
                }
            return hash.hexadecimal
        }
    }

    let hash: Hash

    /// Whether the password's hash is computed for each challenge, with its nonce and the client's.
    let isSession: Bool

    /// The server's name for it; nil without a name, which means MD5.
    let name: String?

    /// Makes an algorithm, or returns nil if the name is not supported.
    init?(_ name: String?) {
        self.name = name
        let word = name?.lowercased() ?? "md5"
        isSession = word.hasSuffix("-sess")
        switch isSession ? String(word.dropLast("-sess".count)) : word {
        case "md5": hash = .md5
        case "sha-256": hash = .sha256
        case "sha-512-256": hash = .sha512cut
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Two digits in lower case for each byte.
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}

extension DigestAlgorithm: Sendable {}

import PledgeHTTPNetworking

/// The directives of Cache-Control fields, in their strictest interpretation.
///
/// Anything that is not a list of directives (RFC 9111, section 5.2) makes the fields malformed; the readable
/// directives count nevertheless. Names are compared in lower case. An argument may be a token or a quoted
/// string.
struct CacheControl: Hashable, Sendable {
    /// Whether a field was not a list of directives, so that its meaning is not known.
    private(set) var isMalformed = false

    /// Whether there was a field at all.
    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    init(_ headers: HTTPHeaders) {
        // Each line separately: an unclosed quotation mark in one does not affect the next.
        let lines = headers.values(for: "Cache-Control")
        isPresent = !lines.isEmpty
        for line in lines {
            let list = CacheControlParser(line)
            isMalformed = isMalformed || list.isMalformed
            for (name, argument) in list.directives {
                arguments[name, default: []].append(argument)
            }
        }
    }

    /// Whether a directive is there, with any argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// The seconds of a permissive directive, with which more is allowed; nil if it is absent.
    ///
    /// The least of several; zero if one cannot be parsed.
    ///
    /// - Parameters:
    ///   - name: The directive.
    ///   - bare: Its value without an argument.
    func permitted(_ name: String, bare: Int64 = 0) -> Int64? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// The seconds of a demanding directive, with which more is required; nil if it is absent.
    ///
    /// The greatest of several; unlimited if one cannot be parsed.
    func demanded(_ name: String) -> Int64? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// The field names, in lower case, that a directive is limited to; nil if it holds for the
    /// whole response, also because its argument cannot be parsed.
    func fieldNames(_ name: String) -> Set<String>? {
        var names: Set<String> = []
        for argument in arguments[name] ?? [] {
            guard let listed = argument.fieldNames else { return nil }
            names.formUnion(listed)
        }
        return names
    }
}

extension CacheControl {
    /// The argument of a directive.
    enum Argument: Hashable {
        /// Nothing.
        case none
        /// A token, or the content of a quoted string.
        case text(String)
        /// Anything else.
        case garbage

        /// A number of seconds, if it consists of digits only.
        var seconds: Int64? {
            guard case .text(let text) = self else { return nil }
            return DeltaSeconds.parse(text)
        }

        /// Names of fields, at least one and all valid.
        var fieldNames: [String]? {
            guard case .text(let text) = self else { return nil }
            let names = text.split(separator: ",").map { HTTPHeaders.trimmed($0).lowercased() }
            return !names.isEmpty && names.allSatisfy(HTTPHeaders.isToken) ? names : nil
        }
    }
}

/// A parser of one line of Cache-Control.
///
/// A quotation mark opens a quoted string only directly after an equals sign, and only if another closes it:
/// elsewhere commas separate, so that a stray mark hides no directive.
struct CacheControlParser {
    private(set) var directives: [(name: String, argument: CacheControl.Argument)] = []
    private(set) var isMalformed = false

    private let bytes: [UInt8]
    private var position = 0

    init(_ line: String) {
        bytes = Array(line.utf8)
        while skipSeparators() { readDirective() }
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let equals = UInt8(ascii: "=")

    /// Advances to the beginning of the next directive, if there is one.
    private mutating func skipSeparators() -> Bool {
        while position < bytes.count,
            bytes[position].isSpace || bytes[position] == Self.comma
        {
            position += 1
        }
        return position < bytes.count
    }

    private mutating func readDirective() {
        let start = position
        while position < bytes.count, HTTPHeaders.isTokenByte(bytes[position]) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        var argument = CacheControl.Argument.none
        if position < bytes.count, bytes[position] == Self.equals {
            position += 1
            argument = readArgument()
        } else if !restIsEmpty() {
            argument = .garbage
        }
        if name.isEmpty || argument == .garbage { isMalformed = true }
        if !name.isEmpty { directives.append((name, argument)) }
    }

    private mutating func readArgument() -> CacheControl.Argument {
        if position < bytes.count, bytes[position] == Self.quote, let quoted = readQuoted() {
            return restIsEmpty() ? .text(quoted) : .garbage
        }
        let start = position
        while position < bytes.count, HTTPHeaders.isTokenByte(bytes[position]) { position += 1 }
        let token = String(decoding: bytes[start..<position], as: UTF8.self)
        return restIsEmpty() && !token.isEmpty ? .text(token) : .garbage
    }

    /// Advances past the next comma.
    ///
    /// - Returns: Whether there was only white space before it.
    private mutating func restIsEmpty() -> Bool {
        var isEmpty = true
        while position < bytes.count, bytes[position] != Self.comma {
            if !bytes[position].isSpace { isEmpty = false }
            position += 1
        }
        return isEmpty
    }

    /// The content of a quoted string that begins here; nil, and nothing is consumed, if it does not end.
    private mutating func readQuoted() -> String? {
        var content: [UInt8] = []
        var index = position + 1
        while index < bytes.count {
            switch bytes[index] {
            case Self.quote:
                position = index + 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\") where index + 1 < bytes.count:
                content.append(bytes[index + 1])
                index += 2
            default:
                content.append(bytes[index])
                index += 1
            }
        }
        return nil
    }
}

import PledgeHTTPNetworking

/// The directives of Cache-Control fields, in their strictest interpretation.
///
/// Anything that isn't a list of directives (RFC 9111, section 5.2) makes the fields malformed, but the readable
/// directives still count. Names are compared in lower case. An argument is a token or a quoted string.
struct CacheControl: Hashable, Sendable {
    /// True if a field isn't a list of directives, so that the field's meaning is unknown.
    private(set) var isMalformed = false

    /// True if the headers have a Cache-Control field.
    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    init(_ headers: HTTPHeaders) {
        // Each line is parsed by itself, so that an unclosed quotation mark doesn't affect the next line.
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

    /// Returns whether a directive is present, with or without an argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// Returns the seconds of a directive whose larger values permit more, such as max-age; nil if it's absent.
    ///
    /// If the directive occurs several times, the smallest value counts. A value that can't be parsed counts as zero.
    ///
    /// - Parameters:
    ///   - name: The directive.
    ///   - bare: The value that counts if the directive has no argument.
    func permitted(_ name: String, bare: Int64 = 0) -> Int64? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// Returns the seconds of a directive whose larger values demand more, such as min-fresh; nil if it's absent.
    ///
    /// If the directive occurs several times, the largest value counts. A value that can't be parsed counts as
    /// unlimited.
    func demanded(_ name: String) -> Int64? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// Returns the lowercase names of the fields that a directive is limited to.
    ///
    /// - Returns: Empty if the directive is absent. Nil if the directive has no argument, or one that can't be parsed;
    ///   such a directive applies to the whole response.
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
        /// No argument.
        case none
        /// A token, or the content of a quoted string.
        case text(String)
        /// Text that is neither a token nor a quoted string.
        case garbage

        /// The number of seconds; nil unless the text consists of digits only.
        var seconds: Int64? {
            guard case .text(let text) = self else { return nil }
            return DeltaSeconds.parse(text)
        }

        /// The field names in lower case; nil unless there is at least one and all are valid.
        var fieldNames: [String]? {
            guard case .text(let text) = self else { return nil }
            let names = text.split(separator: ",").map { HTTPHeaders.trimmed($0).lowercased() }
            return !names.isEmpty && names.allSatisfy(HTTPHeaders.isToken) ? names : nil
        }
    }
}

/// A parser of one Cache-Control line.
///
/// A quoted string begins with a quotation mark directly after an equals sign, and ends with a second one. Any other
/// quotation mark has no special meaning, so a comma after it still separates two directives.
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

    /// Advances to the next directive; returns false at the end.
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

    /// Advances to the next comma, and returns whether only white space came before it.
    private mutating func restIsEmpty() -> Bool {
        var isEmpty = true
        while position < bytes.count, bytes[position] != Self.comma {
            if !bytes[position].isSpace { isEmpty = false }
            position += 1
        }
        return isEmpty
    }

    /// Returns the content of the quoted string at the current position; if it isn't closed, returns nil and stays
    /// there.
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

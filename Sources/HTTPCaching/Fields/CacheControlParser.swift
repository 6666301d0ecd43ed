import PledgeHTTPNetworking

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

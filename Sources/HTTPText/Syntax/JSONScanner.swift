/// Scans JSON (RFC 8259) token by token, without building a tree.
///
/// Any number of values may follow one another, as in JSON Lines. The scanner accepts slightly more than valid JSON,
/// and returns `broken` for everything else. Its memory is proportional to the depth of the JSON.
struct JSONScanner {
    /// A token with its range in the text.
    enum Token: Equatable {
        /// The beginning of an object or an array.
        case open(isObject: Bool)
        /// The end of the innermost object or array.
        case close(isObject: Bool)
        /// A name in an object, without its quotes.
        case name(Range<Int>)
        /// A string, without its quotes.
        case string(Range<Int>)
        /// A number, true, false or null.
        case scalar(Range<Int>)
        /// The end of a complete text.
        case end
        /// Anything that is not JSON, or a text that ends within a value.
        case broken
    }

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, commaOrEnd
    }

    private let bytes: ArraySlice<UInt8>
    /// Where scanning stopped: before the broken token, if there is one.
    private(set) var position: Int
    private var expected = Expected.value
    private var hasValue = false
    /// One flag for each open container: true for an object, false for an array.
    private var containers: [Bool] = []

    /// Begins at the start of a text, behind its byte order mark if it has one.
    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Begins at the start of a part of a text; the tokens' ranges have the text's indices.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
        if bytes.starts(with: BodyText.byteOrderMark) { position += BodyText.byteOrderMark.count }
    }

    /// Returns the next token; after `end` or `broken`, the same one again.
    mutating func next() -> Token {
        skipSpace()
        guard position < bytes.endIndex else {
            return containers.isEmpty && hasValue ? .end : .broken
        }
        switch (expected, bytes[position]) {
        case (.commaOrEnd, UInt8(ascii: ",")):
            position += 1
            expected = containers.last == true ? .name : .value
            return next()
        case (.commaOrEnd, UInt8(ascii: "}")), (.nameOrEnd, UInt8(ascii: "}")):
            return close(isObject: true)
        case (.commaOrEnd, UInt8(ascii: "]")), (.valueOrEnd, UInt8(ascii: "]")):
            return close(isObject: false)
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")): return name()
        case (.value, let byte), (.valueOrEnd, let byte): return value(byte)
        default: return .broken
        }
    }

    private mutating func value(_ byte: UInt8) -> Token {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            position += 1
            let isObject = byte == UInt8(ascii: "{")
            containers.append(isObject)
            expected = isObject ? .nameOrEnd : .valueOrEnd
            return .open(isObject: isObject)
        case UInt8(ascii: "\""):
            guard let range = string() else { return .broken }
            endValue()
            return .string(range)
        default: return scalar()
        }
    }

    private mutating func close(isObject: Bool) -> Token {
        guard containers.last == isObject else { return .broken }
        position += 1
        containers.removeLast()
        endValue()
        return .close(isObject: isObject)
    }

    private mutating func name() -> Token {
        let start = position
        guard let range = string() else { return .broken }
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: ":") else {
            position = start
            return .broken
        }
        position += 1
        expected = .value
        return .name(range)
    }

    private mutating func scalar() -> Token {
        let end = bytes[position...].firstIndex { !$0.isOfScalar } ?? bytes.endIndex
        let range = position..<end
        let isNumber = bytes[position] == UInt8(ascii: "-") || (48...57).contains(bytes[position])
        guard isNumber || Self.words.contains(where: { $0.elementsEqual(bytes[range]) }) else {
            return .broken
        }
        position = end
        endValue()
        return .scalar(range)
    }

    /// Reads the string at the current position, and returns its range without quotes; nil if it does not end.
    private mutating func string() -> Range<Int>? {
        var end = position + 1
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.endIndex else { return nil }
        defer { position = end + 1 }
        return position + 1..<end
    }

    private mutating func endValue() {
        hasValue = true
        expected = containers.isEmpty ? .value : .commaOrEnd
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex {
            switch bytes[position] {
            case 32, 9, 10, 13, 0x1E: position += 1
            default: return
            }
        }
    }

    private static let words = ["true".utf8, "false".utf8, "null".utf8]
}

extension UInt8 {
    /// True if the byte may be part of a number, or of the words true, false and null.
    fileprivate var isOfScalar: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

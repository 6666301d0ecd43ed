/// Scans JSON (RFC 8259) token by token, without building a tree.
///
/// Any number of values may follow one another, as in lines of JSON. It accepts slightly more than valid
/// JSON; everything else is `broken`. Its memory is proportional to the depth of the JSON.
struct JSONScanner {
    /// A token with its range.
    enum Token: Equatable {
        /// An object begins, or an array.
        case open(isObject: Bool)
        /// The innermost object or array ends.
        case close(isObject: Bool)
        /// A name in an object, without its quotes.
        case name(Range<Int>)
        /// A string, without its quotes.
        case string(Range<Int>)
        /// A number, true, false or null.
        case scalar(Range<Int>)
        /// The whole text was scanned, and was complete.
        case end
        /// There is no JSON here, or the text ends before its value does.
        case broken
    }

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, commaOrEnd
    }

    let bytes: [UInt8]
    private var position = 0
    private var expected = Expected.value
    private var hasValue = false
    /// For each open object or array, whether it is an object.
    private var containers: [Bool] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token; `end` and `broken` are repeated.
    mutating func next() -> Token {
        skipSpace()
        guard position < bytes.count else {
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
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
            position = start
            return .broken
        }
        position += 1
        expected = .value
        return .name(range)
    }

    private mutating func scalar() -> Token {
        let end = bytes[position...].firstIndex { !$0.isOfScalar } ?? bytes.count
        let range = position..<end
        let isNumber = bytes[position] == UInt8(ascii: "-") || (48...57).contains(bytes[position])
        guard isNumber || Self.words.contains(where: { $0.elementsEqual(bytes[range]) }) else {
            return .broken
        }
        position = end
        endValue()
        return .scalar(range)
    }

    /// The string that begins here, without its quotes; nil if it does not end.
    private mutating func string() -> Range<Int>? {
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count else { return nil }
        defer { position = end + 1 }
        return position + 1..<end
    }

    private mutating func endValue() {
        hasValue = true
        expected = containers.isEmpty ? .value : .commaOrEnd
    }

    private mutating func skipSpace() {
        while position < bytes.count, [32, 9, 10, 13, 0x1E].contains(bytes[position]) {
            position += 1
        }
    }

    private static let words = ["true".utf8, "false".utf8, "null".utf8]
}

extension UInt8 {
    /// Whether it is allowed in a number or a word.
    fileprivate var isOfScalar: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

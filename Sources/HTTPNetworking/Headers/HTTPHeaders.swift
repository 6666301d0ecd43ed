/// The headers of a request or an answer: ordered, with names whose case does not matter.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept-language"] = "de"
/// headers.add("b=2", for: "Cookie")
/// ```
///
/// White space around a value is not part of it (RFC 9110, section 5.5) and is removed; the rest is kept
/// unchanged, valid or not, and ``Endpoint/validate()`` refuses invalid fields. Two are equal if each name
/// has the same values in the same order; the order of different names does not matter. A look-up is linear
/// in the number of fields.
public struct HTTPHeaders {
    private var fields: [Element] = []

    /// The bytes of values from a wire, by their index, unless they are ASCII: the text does not show whether
    /// they were UTF-8.
    private var bytes: [Int: [UInt8]] = [:]

    /// Makes headers of names and values, each kept, in order.
    @inlinable
    public init(_ fields: some Sequence<(String, String)>) {
        self.init(capacity: fields.underestimatedCount)
        for (name, value) in fields { add(value, for: name) }
    }

    /// Makes empty headers with the capacity for a number of fields.
    @usableFromInline
    package init(capacity: Int) { fields.reserveCapacity(capacity) }

    /// Makes a list from a dictionary, in order of the names.
    ///
    /// - Parameter fields: The fields. Names that differ only in case are all kept.
    public init(_ fields: [String: String]) {
        self.init(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Makes empty headers.
    public init() {}

    /// The values of a name joined by ", " (RFC 9110, section 5.2), or nil where it has none.
    ///
    /// There are two exceptions: for Set-Cookie this is the first value, and the values of Cookie are joined
    /// by "; ". Setting replaces all values of the name, at the place of the first; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else {
                return nil
            }
            let rest = fields[(first + 1)...]
            guard rest.contains(where: { Self.isSame($0.name, name) }) else {
                return fields[first].value
            }
            let values = values(for: name)
            switch name.lowercased() {
            case "set-cookie": return values[0]
            case "cookie": return values.joined(separator: "; ")
            default: return values.joined(separator: ", ")
            }
        }
        set {
            if let newValue { set(newValue, for: name) } else { remove(name) }
        }
    }

    /// The values of a name, in order, each unchanged.
    public func values(for name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a value to those that a name has, at the end.
    public mutating func add(_ value: String, for name: String) {
        fields.append((name, Self.trimmed(value)))
    }

    /// Makes a value the only one of a name, at the place of the first, or at the end.
    public mutating func set(_ value: String, for name: String) {
        guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else {
            return add(value, for: name)
        }
        fields[first] = (name, Self.trimmed(value))
        if !bytes.isEmpty { bytes[first] = nil }
        removeAll(name, except: first)
    }

    /// Removes all values of a name.
    public mutating func remove(_ name: String) {
        // Usually there is none, and then the storage stays shared.
        guard fields.contains(where: { Self.isSame($0.name, name) }) else { return }
        removeAll(name, except: nil)
    }

    private mutating func removeAll(_ name: String, except kept: Int?) {
        let old = bytes
        var new: [Int: [UInt8]] = [:]
        var (index, left) = (0, 0)
        fields.removeAll { field in
            defer { index += 1 }
            if index != kept, Self.isSame(field.name, name) { return true }
            if let value = old[index] { new[left] = value }
            left += 1
            return false
        }
        bytes = new
    }

    /// The number of fields, each value counted.
    public var count: Int { fields.count }

    /// Whether there is no field.
    public var isEmpty: Bool { fields.isEmpty }

    /// Names are compared as ASCII, so that no letter of another script matches.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
    }

    private static func lowercased(_ name: String) -> some Sequence<UInt8> {
        name.utf8.lazy.map(\.lowercased)
    }

    /// A text without the spaces and tabs around it.
    package static func trimmed(_ value: some StringProtocol) -> String {
        let value = String(value)
        guard value.utf8.first?.isSpace == true || value.utf8.last?.isSpace == true else {
            return value
        }
        return String(Substring(value.utf8.trimmed))
    }
}

// MARK: - Bytes

extension HTTPHeaders {
    /// Adds a value as it came from a wire; its bytes can then be sent back unchanged.
    ///
    /// White space around it is removed, and CR, LF and NUL in it become spaces (RFC 9110, section 5.5): some
    /// parsers read a bare CR as the end of a line, so that what follows would be another field.
    package mutating func add(received bytes: UnsafeRawBufferPointer, for name: String) {
        let trimmed = bytes.trimmed
        // The fast path of nearly every value.
        if trimmed.allSatisfy({ 0x20..<0x7F ~= $0 }) {
            return fields.append((name, String(decoding: trimmed, as: UTF8.self)))
        }
        let value = Self.withoutLineEnds(bytes)
        keep(value, at: fields.count)
        fields.append((name, Self.text(ofValue: value)))
    }

    /// Adds a line to the value that was added last, with a space between; false if there is none.
    package mutating func fold(received line: UnsafeRawBufferPointer) -> Bool {
        guard let last = fields.last else { return false }
        let line = Self.withoutLineEnds(line)
        if line.isEmpty { return true }
        let index = fields.count - 1
        let space = last.value.isEmpty ? "" : " "
        keep((bytes[index] ?? Array(last.value.utf8)) + Array(space.utf8) + line, at: index)
        fields[index].value = last.value + space + Self.text(ofValue: line)
        return true
    }

    private mutating func keep(_ value: [UInt8], at index: Int) {
        if value.contains(where: { $0 >= 0x80 }) { bytes[index] = value }
    }

    private static func withoutLineEnds(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes.map { isLineEnd($0) ? 0x20 : $0 }.trimmed)
    }

    /// A value from a platform with a space for each CR, LF and NUL.
    package static func withoutLineEnds(_ value: String) -> String {
        guard value.utf8.contains(where: isLineEnd) else { return value }
        return String(decoding: withoutLineEnds(value.utf8), as: UTF8.self)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 13 || byte == 10 || byte == 0 }

    /// Makes a value of bytes the only one of a name.
    package mutating func set(bytes value: [UInt8], for name: String) {
        set(Self.text(ofValue: value), for: name)
        if let index = fields.firstIndex(where: { Self.isSame($0.name, name) }) {
            keep(value, at: index)
        }
    }

    /// Adds fields of others, with their bytes.
    package mutating func add(_ others: HTTPHeaders, where isWanted: (String) -> Bool) {
        for (index, field) in others.fields.enumerated() where isWanted(field.name) {
            if let value = others.bytes[index] { bytes[fields.count] = value }
            fields.append(field)
        }
    }

    /// The bytes of the value at an index, in the order of iteration; nil for the UTF-8 of its text.
    package func bytes(at index: Int) -> [UInt8]? { bytes[index] }

    /// The values of a name as a server has sent them, in order.
    package func received(_ name: String) -> [ReceivedValue] {
        fields.indices.filter { Self.isSame(fields[$0].name, name) }
            .map { ReceivedValue(text: fields[$0].value, bytes: bytes[$0]) }
    }
}

extension HTTPHeaders: Sequence {
    /// A name, as it was given, and one of its values.
    public typealias Element = (name: String, value: String)

    /// Iterates over the fields in order.
    public func makeIterator() -> IndexingIterator<[Element]> { fields.makeIterator() }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Makes headers from a literal; a name that occurs twice has both values.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }
}

extension HTTPHeaders: Hashable {
    /// Whether each name has the same values in the same order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.count == right.fields.count && left.canonical == right.canonical
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) { canonical.hash(into: &hasher) }

    private var canonical: [[UInt8]: [[UInt8]]] {
        fields.enumerated().reduce(into: [:]) { all, field in
            let (index, (name, value)) = field
            all[Array(Self.lowercased(name)), default: []]
                .append(bytes[index] ?? Array(value.utf8))
        }
    }
}

extension HTTPHeaders: Sendable {}

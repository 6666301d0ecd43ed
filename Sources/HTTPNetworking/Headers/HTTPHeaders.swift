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

    /// Adds a value that has no white space around it.
    package mutating func add(trimmed value: String, for name: String) {
        fields.append((name, value))
    }

    /// Adds a line to the value that was added last, with a space between; false if there is none.
    package mutating func fold(trimmed line: String) -> Bool {
        guard let last = fields.last else { return false }
        if line.isEmpty { return true }
        fields[fields.count - 1].value = last.value.isEmpty ? line : last.value + " " + line
        return true
    }

    /// Makes a value the only one of a name, at the place of the first, or at the end.
    public mutating func set(_ value: String, for name: String) {
        guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else {
            return add(value, for: name)
        }
        fields[first] = (name, Self.trimmed(value))
        var index = 0
        fields.removeAll { field in
            defer { index += 1 }
            return index != first && Self.isSame(field.name, name)
        }
    }

    /// Removes all values of a name.
    public mutating func remove(_ name: String) {
        // Usually there is none, and then the storage stays shared.
        guard fields.contains(where: { Self.isSame($0.name, name) }) else { return }
        fields.removeAll { Self.isSame($0.name, name) }
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
        fields.reduce(into: [:]) { all, field in
            all[Array(Self.lowercased(field.name)), default: []].append(Array(field.value.utf8))
        }
    }
}

extension HTTPHeaders: Sendable {}

/// The differences between two values, property by property, as text.
///
/// ```
/// - login.name: "Tan"
/// + login.name: "Tangent"
/// + counts[1]: 7
/// - books[id: 3].title: "Emil"
/// + books[id: 3].title: "Momo"
/// ```
///
/// Properties are found by reflection, in the order of their declaration; unchanged ones are left out. Values
/// that differ but print the same, such as dates within a second, are shown with their parts, or with a note.
/// Dictionaries are compared by key, and sets by element.
///
/// Arrays are compared by insertions and removals. An `Identifiable` element is compared with the element of
/// the same id, at any position. If more than 400 elements of the two arrays lie between the first and the last
/// difference, those elements are compared by position.
public struct StateDiff: Sendable, CustomStringConvertible {
    /// The differences: `- PATH: VALUE` for the old value, then `+ PATH: VALUE` for the new one.
    public let lines: [String]

    /// The lines, separated by line breaks.
    public var description: String { lines.joined(separator: "\n") }

    /// Compares two values.
    ///
    /// - Parameters:
    ///   - old: The value before.
    ///   - new: The value after.
    /// - Complexity: O(*n*) for *n* parts that have no parts themselves. In an array with many changes, at most
    ///   400 elements are also compared pairwise.
    public init<Value>(from old: Value, to new: Value) {
        lines = StateComparison(of: old, with: new).lines
    }
}

/// The parts of a value that have no parts of their own, with their paths.
struct StateLeaves {
    struct Leaf {
        let path: String
        let text: String
        /// The value behind the text; nil for a fixed text, such as `[]`.
        let value: Any?

        var line: String { StateLeaves.line(path, text) }

        /// Returns whether texts and values are the same; the paths may differ.
        func isSame(as other: Leaf) -> Bool {
            guard text == other.text else { return false }
            guard let value, let otherValue = other.value else { return true }
            return !differs(value, otherValue)
        }
    }

    private(set) var leaves: [Leaf] = []
    /// The objects on the current path; a cycle isn't followed.
    private var objects: Set<ObjectIdentifier> = []

    init(of value: Any, at path: String = "") { collect(value, at: path) }

    /// One line of a difference, without its sign.
    static func line(_ path: String, _ text: String) -> String {
        path.isEmpty ? text : "\(path): \(text)"
    }

    private mutating func collect(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let some = mirror.children.first else { return add("nil", at: path) }
            collect(some.value, at: path)
        case .collection: takeElements(mirror, at: path)
        case .dictionary: takeDictionary(mirror, at: path)
        case .set: takeSet(mirror, at: path)
        case .enum: takeCase(value, mirror, at: path)
        case .class: takeObject(value, mirror, at: path)
        default: takeProperties(value, mirror, at: path)
        }
    }

    private mutating func takeElements(_ mirror: Mirror, at path: String) {
        if mirror.children.isEmpty { return add("[]", at: path) }
        for (index, child) in mirror.children.enumerated() {
            collect(child.value, at: "\(path)[\(index)]")
        }
    }

    private mutating func takeDictionary(_ mirror: Mirror, at path: String) {
        if mirror.children.isEmpty { return add("[:]", at: path) }
        let pairs = mirror.children.map { child in
            let pair = Array(Mirror(reflecting: child.value).children)
            return (key: String(reflecting: pair[0].value), value: pair[1].value)
        }
        for pair in pairs.sorted(by: { $0.key < $1.key }) {
            collect(pair.value, at: "\(path)[\(pair.key)]")
        }
    }

    private mutating func takeSet(_ mirror: Mirror, at path: String) {
        if mirror.children.isEmpty { return add("[]", at: path) }
        for text in mirror.children.map({ String(reflecting: $0.value) }).sorted() {
            add("contained", at: "\(path)[\(text)]")
        }
    }

    /// Adds the leaves of an enum's value.
    ///
    /// A case with values has its own path, so a change of case is a removal and an addition.
    private mutating func takeCase(_ value: Any, _ mirror: Mirror, at path: String) {
        guard let child = mirror.children.first else { return add(".\(value)", at: path, value) }
        let name = "\(path).\(child.label ?? "")"
        let payload = Mirror(reflecting: child.value)
        if payload.displayStyle == .tuple, payload.children.isEmpty { return add("()", at: name) }
        collect(child.value, at: name)
    }

    private mutating func takeObject(_ value: Any, _ mirror: Mirror, at path: String) {
        let id = ObjectIdentifier(value as AnyObject)
        guard objects.insert(id).inserted else { return add("(the same object again)", at: path) }
        takeProperties(value, mirror, at: path)
        objects.remove(id)
    }

    private mutating func takeProperties(_ value: Any, _ mirror: Mirror, at path: String) {
        if isLeaf(value, mirror) { return add(String(reflecting: value), at: path, value) }
        for child in mirror.allChildren {
            let label = child.label ?? "?"
            collect(child.value, at: path.isEmpty ? label : "\(path).\(label)")
        }
    }

    private mutating func add(_ text: String, at path: String, _ value: Any? = nil) {
        leaves.append(Leaf(path: path, text: text, value: value))
    }
}

/// Returns whether a value is shown as a whole: it has no parts, or it describes itself, as a date does.
func isLeaf(_ value: Any, _ mirror: Mirror) -> Bool {
    value is any CustomStringConvertible || mirror.children.isEmpty
}

extension Mirror {
    /// The properties, inherited ones first.
    var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + children }
}

/// Returns whether two values are known to be unequal.
func differs(_ old: Any, _ new: Any) -> Bool {
    if type(of: old) != type(of: new) { return true }
    return (old as? any Equatable)?.differs(from: new) ?? false
}

extension Equatable {
    fileprivate func differs(from other: Any) -> Bool {
        guard let other = other as? Self else { return true }
        // A value that doesn't equal itself, such as NaN, is no difference.
        return self != other && self == self && other == other
    }
}

/// Texts for two different values, with their parts if the printed texts are equal.
func tellingTexts(of old: Any, and new: Any) -> (old: String, new: String) {
    let plain = (old: String(reflecting: old), new: String(reflecting: new))
    if plain.old != plain.new { return plain }
    if type(of: old) != type(of: new) {
        return ("\(plain.old) (\(type(of: old)))", "\(plain.new) (\(type(of: new)))")
    }
    let detailed = (old: detailedText(of: old), new: detailedText(of: new))
    if detailed.old != detailed.new { return detailed }
    return (plain.old, "\(plain.new) (not equal, though it prints the same)")
}

/// The printed text, followed by the parts.
func detailedText(of value: Any) -> String {
    let text = String(reflecting: value)
    let parts = Mirror(reflecting: value).allChildren.map { child in
        (child.label.map { "\($0): " } ?? "") + String(reflecting: child.value)
    }
    return parts.isEmpty ? text : "\(text) (\(parts.joined(separator: ", ")))"
}

/// The parts of a value that have no parts themselves, each with its path.
struct StateLeaves {
    struct Leaf {
        let path: String
        let text: String
        /// The value that the text shows, if it shows one.
        let value: Any?

        var line: String { StateLeaves.line(path, text) }

        /// Whether the values are indistinguishable, whatever their paths.
        func isSame(as other: Leaf) -> Bool {
            guard text == other.text else { return false }
            guard let value, let otherValue = other.value else { return true }
            return !differs(value, otherValue)
        }
    }

    private(set) var leaves: [Leaf] = []
    /// The objects on the current path: a cycle is not followed.
    private var objects: Set<ObjectIdentifier> = []

    init(of value: Any, at path: String = "") { take(value, at: path) }

    /// A line of a difference, without its sign.
    static func line(_ path: String, _ text: String) -> String {
        path.isEmpty ? text : "\(path): \(text)"
    }

    private mutating func take(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let some = mirror.children.first else { return add("nil", at: path) }
            take(some.value, at: path)
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
            take(child.value, at: "\(path)[\(index)]")
        }
    }

    private mutating func takeDictionary(_ mirror: Mirror, at path: String) {
        if mirror.children.isEmpty { return add("[:]", at: path) }
        let pairs = mirror.children.map { child in
            let pair = Array(Mirror(reflecting: child.value).children)
            return (key: String(reflecting: pair[0].value), value: pair[1].value)
        }
        for pair in pairs.sorted(by: { $0.key < $1.key }) {
            take(pair.value, at: "\(path)[\(pair.key)]")
        }
    }

    private mutating func takeSet(_ mirror: Mirror, at path: String) {
        if mirror.children.isEmpty { return add("[]", at: path) }
        for text in mirror.children.map({ String(reflecting: $0.value) }).sorted() {
            add("contained", at: "\(path)[\(text)]")
        }
    }

    /// A case with values has a path of its own, so that a change of the case is shown as a removal and an
    /// addition.
    private mutating func takeCase(_ value: Any, _ mirror: Mirror, at path: String) {
        guard let child = mirror.children.first else { return add(".\(value)", at: path, value) }
        let name = "\(path).\(child.label ?? "")"
        let payload = Mirror(reflecting: child.value)
        if payload.displayStyle == .tuple, payload.children.isEmpty { return add("()", at: name) }
        take(child.value, at: name)
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
            take(child.value, at: path.isEmpty ? label : "\(path).\(label)")
        }
    }

    private mutating func add(_ text: String, at path: String, _ value: Any? = nil) {
        leaves.append(Leaf(path: path, text: text, value: value))
    }
}

/// Whether a value is shown whole: it has no parts, or a description of its own, as a date has.
func isLeaf(_ value: Any, _ mirror: Mirror) -> Bool {
    value is any CustomStringConvertible || mirror.children.isEmpty
}

extension Mirror {
    /// The properties, those of superclasses first.
    var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + children }
}

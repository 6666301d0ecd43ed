/// A value taken apart into the values that have no parts, each with the path to it.
struct StateLeaves {
    struct Leaf {
        let path: String
        let text: String

        var line: String { path.isEmpty ? text : "\(path): \(text)" }
    }

    private(set) var leaves: [Leaf] = []
    /// The objects on the way to where we are: a cycle is not followed.
    private var objects: Set<ObjectIdentifier> = []

    init(of value: Any) { take(value, at: "") }

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

    /// A case with values is a path of its own, so that another case shows as one gone and one come.
    private mutating func takeCase(_ value: Any, _ mirror: Mirror, at path: String) {
        guard let child = mirror.children.first else { return add(".\(value)", at: path) }
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
        // What says itself what it is, such as an identifier or a date, is not taken apart.
        if value is any CustomStringConvertible || mirror.children.isEmpty {
            return add(String(reflecting: value), at: path)
        }
        var parent = mirror.superclassMirror
        var children = Array(mirror.children)
        while let next = parent {
            children = Array(next.children) + children
            parent = next.superclassMirror
        }
        for child in children {
            let label = child.label ?? "?"
            take(child.value, at: path.isEmpty ? label : "\(path).\(label)")
        }
    }

    private mutating func add(_ text: String, at path: String) {
        leaves.append(Leaf(path: path, text: text))
    }
}

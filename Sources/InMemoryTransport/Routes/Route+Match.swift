extension MemoryTransport.Route {
    /// The parameters of a target that this route matches; nil if it does not match.
    func parameters(matching asked: RequestTarget) -> [String: String]? {
        guard differences(from: asked).isEmpty else { return nil }
        return zip(segments, asked.segments).reduce(into: [:]) { parameters, pair in
            if let name = Self.parameter(of: pair.0) { parameters[name] = pair.1 }
        }
    }

    /// The differences of a target from this route, in words; empty if it matches.
    func differences(from asked: RequestTarget) -> [String] {
        var differences: [String] = []
        if let method, method != asked.method {
            differences.append("the method is not \(method)")
        }
        let own = segments
        if own.count != asked.segments.count {
            differences.append(
                "the path has \(asked.segments.count) segments, not \(own.count)"
            )
        }
        for (index, (mine, theirs)) in zip(own, asked.segments).enumerated()
        where !Self.matches(mine, theirs) {
            let wanted = Self.parameter(of: mine).map { "a value for \($0)" } ?? Self.quoted(mine)
            differences.append("segment \(index + 1) is \(Self.quoted(theirs)), not \(wanted)")
        }
        for (name, value) in query.sorted(by: { $0.key < $1.key }) {
            let values = asked.query.filter { Self.areSame($0.name, name) }.map(\.value)
            if values.isEmpty {
                differences.append("the query has no \(Self.quoted(name))")
            } else if let value, !values.contains(where: { Self.areSame($0 ?? "", value) }) {
                differences.append(
                    "the query's \(Self.quoted(name)) is not \(Self.quoted(value))"
                )
            }
        }
        return differences
    }

    private var segments: [String] {
        let path = pattern.utf8.starts(with: "/".utf8) ? String(pattern.dropFirst()) : pattern
        return path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// The name of the parameter in a segment of a pattern, if the segment is one.
    private static func parameter(of segment: String) -> String? {
        segment.hasPrefix(":") && segment.count > 1 ? String(segment.dropFirst()) : nil
    }

    private static func matches(_ pattern: String, _ segment: String) -> Bool {
        parameter(of: pattern) == nil ? areSame(pattern, segment) : !segment.isEmpty
    }

    /// Text is compared by its bytes: for `==` of String composed and decomposed letters are equal.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func quoted(_ text: String) -> String { text.debugDescription }
}

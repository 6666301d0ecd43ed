extension StateComparison {
    /// Compares dictionaries, none of them empty, key by key.
    mutating func compareEntries(_ old: [Any], _ new: [Any], at place: Place) {
        let (old, new) = (values(of: old), values(of: new))
        for (key, text) in texts(of: Array(Set(old.keys).union(new.keys))) {
            let place = place.element(text)
            switch (old[key], new[key]) {
            case (let value?, let newValue?): compare(value, newValue, at: place)
            case (let value?, nil): remove(value, at: place.old)
            case (nil, let newValue?): add(newValue, at: place.new)
            case (nil, nil): break
            }
        }
    }

    /// Compares sets, none of them empty, element by element.
    mutating func compareMembers(_ old: [Any], _ new: [Any], at place: Place) {
        let old = Set(old.compactMap { $0 as? AnyHashable })
        let new = Set(new.compactMap { $0 as? AnyHashable })
        let changed = texts(of: Array(old.symmetricDifference(new)))
        for (element, text) in changed where old.contains(element) {
            remove(Contained(), at: place.element(text).old)
        }
        for (element, text) in changed where new.contains(element) {
            add(Contained(), at: place.element(text).new)
        }
    }

    private func values(of entries: [Any]) -> [AnyHashable: Any] {
        var values: [AnyHashable: Any] = [:]
        for entry in entries {
            let pair = Array(Mirror(reflecting: entry).children)
            if let key = pair[0].value as? AnyHashable { values[key] = pair[1].value }
        }
        return values
    }

    /// Keys or elements with their texts, by which they are sorted; if two print the same, with their parts.
    private func texts(of keys: [AnyHashable]) -> [(key: AnyHashable, text: String)] {
        let texts = keys.map { String(reflecting: $0.base) }
        let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
        return zip(keys, texts)
            .map { ($0, counts[$1] == 1 ? $1 : detailedText(of: $0.base)) }
            .sorted { $0.1 < $1.1 }
    }
}

/// The statement that an element is in a set.
private struct Contained: CustomDebugStringConvertible, CustomStringConvertible {
    var description: String { "contained" }
    var debugDescription: String { description }
}

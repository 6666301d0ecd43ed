/// Whether two values are known to be unequal, of whatever types.
func differs(_ old: Any, _ new: Any) -> Bool {
    if type(of: old) != type(of: new) { return true }
    return (old as? any Equatable)?.differs(from: new) ?? false
}

extension Equatable {
    fileprivate func differs(from other: Any) -> Bool {
        guard let other = other as? Self else { return true }
        // A value that does not equal itself, such as NaN, is not a difference.
        return self != other && self == self && other == other
    }
}

/// The texts of two values that differ: what they print, with more detail if that is equal.
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

/// What a value prints, and its parts.
func detailedText(of value: Any) -> String {
    let text = String(reflecting: value)
    let parts = Mirror(reflecting: value).allChildren.map { child in
        (child.label.map { "\($0): " } ?? "") + String(reflecting: child.value)
    }
    return parts.isEmpty ? text : "\(text) (\(parts.joined(separator: ", ")))"
}

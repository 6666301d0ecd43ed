/// All the ways in which a value becomes text without being asked for its parts.
package func texts(of value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(describing: value), String(reflecting: value), dumped]
}

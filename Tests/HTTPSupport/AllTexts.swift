/// All the texts that a value becomes by description, reflection and dumping.
package func texts(of value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(describing: value), String(reflecting: value), dumped]
}

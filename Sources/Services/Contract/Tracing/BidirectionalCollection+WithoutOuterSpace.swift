extension BidirectionalCollection<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    var withoutOuterSpace: SubSequence {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}

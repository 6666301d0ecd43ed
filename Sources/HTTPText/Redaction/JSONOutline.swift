/// The properties of a JSON text that decide how it is shown.
package struct JSONOutline {
    let bytes: [UInt8]

    /// True if the text was parsed to its end.
    package private(set) var isWhole = false

    /// True if the text is JSON, rather than a text that only begins with a bracket.
    private(set) var hasText = false

    /// The strings with their escapes, and the numbers, Booleans and nulls, except the values of harmless names.
    private(set) var values: [ArraySlice<UInt8>] = []

    /// The names, with their escapes.
    package private(set) var names: [ArraySlice<UInt8>] = []

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - isCut: True if the text is cut off, so that it cannot be complete.
    ///   - harmless: The names whose values are left out.
    package init(_ bytes: [UInt8], isCut: Bool = false, harmless: HarmlessNames = .none) {
        self.bytes = bytes
        var scanner = JSONScanner(bytes)
        var name: ArraySlice<UInt8>?
        while true {
            switch scanner.next() {
            case .open, .close: name = nil
            case .name(let range):
                name = bytes[range]
                names.append(bytes[range])
                hasText = true
            case .string(let range):
                hasText = true
                addValue(range, named: &name, harmless)
            case .scalar(let range): addValue(range, named: &name, harmless)
            case .end:
                isWhole = !isCut
                return
            case .broken: return
            }
        }
    }

    private mutating func addValue(
        _ range: Range<Int>, named name: inout ArraySlice<UInt8>?, _ harmless: HarmlessNames
    ) {
        if !harmless.contains(name) { values.append(bytes[range]) }
        name = nil
    }
}

/// The names in JSON whose values may be shown, because they describe an error.
package struct HarmlessNames {
    private let names: Set<String>

    /// No names, so that every value is hidden, as in a request's body.
    package static let none = HarmlessNames(names: [])

    /// The names in servers' errors: from RFC 9457, from RFC 6749, and other common ones.
    package static let ofErrors = HarmlessNames(names: [
        "error", "errorcode", "errordescription", "errormessage", "errortype", "message", "msg",
        "code", "status", "statuscode", "title", "detail", "type", "reason", "description",
        "instance",
    ])

    /// Returns whether the names contain a name, ignoring case, "_" and "-".
    func contains(_ name: ArraySlice<UInt8>?) -> Bool {
        guard let name, name.count <= 32, !names.isEmpty else { return false }
        let word = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return names.contains(String(decoding: word, as: UTF8.self).lowercased())
    }
}

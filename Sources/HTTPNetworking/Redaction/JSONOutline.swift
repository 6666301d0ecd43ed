/// The properties of a JSON text that decide how it is shown.
struct JSONOutline {
    let bytes: [UInt8]

    /// Whether it was parsed to its end.
    private(set) var isWhole = false

    /// Whether it is the beginning of JSON, and not a text that begins with a bracket.
    private(set) var hasText = false

    /// The strings, unchanged, and the numbers, except those whose names are harmless.
    private(set) var values: [ArraySlice<UInt8>] = []

    /// The names, unchanged.
    private(set) var names: [ArraySlice<UInt8>] = []

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - isCut: Whether it is cut off, so that it cannot be complete.
    ///   - harmless: The names whose own values are left out.
    init(_ bytes: [UInt8], isCut: Bool = false, harmless: HarmlessNames = .none) {
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
                take(range, named: &name, harmless)
            case .scalar(let range): take(range, named: &name, harmless)
            case .end:
                isWhole = !isCut
                return
            case .broken: return
            }
        }
    }

    private mutating func take(
        _ range: Range<Int>, named name: inout ArraySlice<UInt8>?, _ harmless: HarmlessNames
    ) {
        if !harmless.contains(name) { values.append(bytes[range]) }
        name = nil
    }
}

/// The names in JSON whose values, strings or numbers, describe an error.
struct HarmlessNames {
    private let names: Set<String>

    /// No names: for a request.
    static let none = HarmlessNames(names: [])

    /// The names in errors of servers: those of RFC 9457, of RFC 6749, and usual ones.
    static let ofErrors = HarmlessNames(names: [
        "error", "errorcode", "errordescription", "errormessage", "errortype", "message", "msg",
        "code", "status", "statuscode", "title", "detail", "type", "reason", "description",
        "instance",
    ])

    /// Whether a name is one of them, in any case and with "_" or "-" between its words.
    func contains(_ name: ArraySlice<UInt8>?) -> Bool {
        guard let name, name.count <= 32, !names.isEmpty else { return false }
        let word = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return names.contains(String(decoding: word, as: UTF8.self).lowercased())
    }
}

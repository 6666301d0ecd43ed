/// What has to be known of a JSON text before any of it is shown.
struct JSONOutline {
    let bytes: [UInt8]

    /// Whether it was read to its end.
    private(set) var isWhole = false

    /// Whether it is JSON as far as it goes, and not a text that begins with a bracket.
    private(set) var hasText = false

    /// The strings, as they are written, and the numbers; but not those whose names are harmless.
    private(set) var values: [ArraySlice<UInt8>] = []

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - isCut: Whether it goes on, so that it cannot be whole.
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

/// The names in JSON whose own values, a string or a number, say what went wrong.
struct HarmlessNames {
    private let names: Set<String>

    /// No name at all: of a request.
    static let none = HarmlessNames(names: [])

    /// Those of an error that a server sends: RFC 9457, RFC 6749, and what is usual.
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

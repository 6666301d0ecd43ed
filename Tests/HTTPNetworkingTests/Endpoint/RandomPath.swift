import PledgeHTTPNetworking
import TestSupport

/// A path of random literals and values, and the parts that a server must read.
struct RandomPath {
    /// The path that the literal makes.
    let path: Endpoint.Path
    /// The segments that a server must read.
    private(set) var segments: [[UInt8]] = []
    /// The names and values that a server must read.
    private(set) var query: [[[UInt8]]] = []
    /// Whether it has a URL.
    private(set) var isValid = true

    init(using random: inout SeededGenerator) {
        var literal = Endpoint.Path.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for index in 0..<Int.random(in: 1...3, using: &random) {
            if index > 0 || Bool.random(using: &random) { literal.appendLiteral("/") }
            let place = Self.place(of: &literal, using: &random)
            segments.append(place)
            if place.isEmpty || Self.hasDotSegment(place) { isValid = false }
        }
        for index in 0..<Int.random(in: 0...3, using: &random) {
            literal.appendLiteral(index > 0 ? "&" : "?")
            var item = [Self.place(of: &literal, using: &random)]
            if Bool.random(using: &random) {
                literal.appendLiteral("=")
                item.append(Self.place(of: &literal, using: &random))
            }
            query.append(item)
        }
        path = Endpoint.Path(stringInterpolation: literal)
    }

    /// Whether a server that decodes a path first, and reads a backslash as a slash, finds a dot segment.
    static func hasDotSegment(_ path: some Collection<UInt8>) -> Bool {
        path.split { $0 == 47 || $0 == 92 }
            .contains { [[46], [46, 46]].contains(Array($0)) }
    }

    /// Writes a segment, a name or a value: at least one piece of text or one value, which may be empty.
    private static func place(
        of literal: inout Endpoint.Path.StringInterpolation, using random: inout SeededGenerator
    ) -> [UInt8] {
        var read: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            if Bool.random(using: &random), let text = texts.randomElement(using: &random) {
                literal.appendLiteral(text.written)
                read += text.read.utf8
            } else {
                let value = value(using: &random)
                literal.appendInterpolation(value)
                read += value.utf8
            }
        }
        return read
    }

    /// Up to five characters: half of them ASCII, a quarter of them with a meaning in URLs.
    private static func value(using random: inout SeededGenerator) -> String {
        var value = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let scalar =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: "/\\?#%&=+.;:@ \0\n".unicodeScalars.randomElement(using: &random)
                case 1: Unicode.Scalar(UInt32.random(in: 0..<128, using: &random))
                case 2: Unicode.Scalar(UInt32.random(in: 0..<0x3000, using: &random))
                default: Unicode.Scalar(UInt32.random(in: 0..<0x110000, using: &random))
                }
            if let scalar { value.append(scalar) }
        }
        return String(value)
    }

    /// Texts of a literal, and the texts that a server reads for them.
    private static let texts: [(written: String, read: String)] = [
        ("a", "a"), ("x-y~", "x-y~"), (".", "."), ("%2e", "."), ("%2F", "/"), ("%3f%26", "?&"),
        ("a+b", "a+b"), ("é", "é"), (" ", " "), ("%", "%"), ("%4", "%4"), ("%é", "%é"),
        ("[1]", "[1]"), ("\\", "\\"), (";@:", ";@:"), ("\u{301}", "\u{301}"),
    ]
}

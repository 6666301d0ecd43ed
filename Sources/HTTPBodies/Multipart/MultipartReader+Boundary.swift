import PledgeHTTPNetworking

extension MultipartReader {
    /// The boundary in a Content-Type of a multipart type; nil for another type, or without a boundary.
    ///
    /// A boundary has 1 to 70 characters (RFC 2046, section 5.1.1), here visible ASCII, and spaces within.
    public static func boundary(in contentType: String) -> String? {
        let scalars = Array(contentType.unicodeScalars)
        let type = scalars.prefix { $0 != ";" }
        guard text(type).lowercased().hasPrefix("multipart/") else { return nil }
        var rest = scalars[type.count...]
        while rest.popFirst() == ";" {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            let value = parameter(&rest)
            if text(name).lowercased() == "boundary" {
                return value.flatMap { isBoundary($0) ? $0 : nil }
            }
        }
        return nil
    }

    /// Removes a token or a quoted string (RFC 9110, section 5.6.6), and the rest up to the next semicolon.
    private static func parameter(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        var value: [Unicode.Scalar] = []
        guard rest.first == "\"" else {
            value = Array(rest.prefix { $0 != ";" })
            rest = rest.dropFirst(value.count)
            return text(value[...])
        }
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                rest = rest.drop { $0 != ";" }
                return text(value[...], trimmed: false)
            }
            if scalar == "\\" {
                if let escaped = rest.popFirst() { value.append(escaped) }
            } else {
                value.append(scalar)
            }
        }
        return nil
    }

    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { (32...126).contains($0) }
            && text.utf8.last != 32
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>, trimmed: Bool = true) -> String
    {
        let text = String(String.UnicodeScalarView(scalars))
        return trimmed ? HTTPHeaders.trimmed(text) : text
    }
}

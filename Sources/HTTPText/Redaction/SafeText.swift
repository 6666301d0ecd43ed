/// Text for a log, without userinfo, query values or control characters.
package enum SafeText {
    /// A URL without userinfo, and with "…" for each value of its query that may be secret.
    package static func redacted(_ url: URL) -> String {
        guard let parts = AbsoluteURL(url) else { return "an invalid URL" }
        let text = parts.schemeAndAuthority
        let shown =
            text.lastIndex(of: "@").map { at in
                "\(text.prefix { $0 != "/" })//…@\(text[text.index(after: at)...])"
            } ?? String(text)
        return shown + redacted(pathAndQuery: parts.path + (parts.query.map { "?" + $0 } ?? ""))
    }

    /// A percent-encoded path and query, with "…" for each value of the query that may be secret.
    package static func redacted(pathAndQuery text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let query = text[mark...].dropFirst()
        if query.isEmpty { return text }
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let sign = item.firstIndex(of: "=") else { return "…" }
            let (name, value) = (item[..<sign], item[sign...].dropFirst())
            return ShownNames.showsQueryItem(name, value) ? String(item) : "\(name)=…"
        }
        return text[...mark] + items.joined(separator: "&")
    }

    /// The value of a header Link, with its URLs redacted.
    package static func redacted(link value: String) -> String {
        var (shown, rest) = ("", value[...])
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = String(rest[start..<end].dropFirst())
            let url = URL(string: target).flatMap { AbsoluteURL.isOne($0) ? redacted($0) : nil }
            let isRelative = !target.contains("//") && !target.contains("@")
            shown += rest[...start]
            shown += url ?? (isRelative ? redacted(pathAndQuery: target) : "…")
            rest = rest[end...]
        }
        return rest.contains("<") ? "…" : shown + rest
    }

    /// A text with control characters and quotation marks as escapes, cut off after 100 characters.
    package static func escaped(_ text: String) -> String {
        let all = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\""
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return all.count > 100 ? all.prefix(100).joined() + "…" : all.joined()
    }

    /// The names of a query or a form, with "…" for each value.
    package static func names(inQuery query: Substring) -> [String] {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            item.firstIndex(of: "=").map { "\(item[..<$0])=…" } ?? "…"
        }
    }
}

extension SafeText {
    /// A text with "…" in place of each run of marked bytes.
    ///
    /// - Parameters:
    ///   - marks: True for each byte to remove.
    ///   - source: The text's UTF-8 bytes.
    ///   - sign: The text in place of each run.
    package static func replacing(
        _ marks: [Bool], in source: [UInt8], by sign: String = "…"
    ) -> String {
        guard marks.contains(true) else { return String(decoding: source, as: UTF8.self) }
        var kept: [UInt8] = []
        var isWithin = false
        for position in source.indices {
            // If the first marked byte is within a character, the whole character is removed.
            let isContinuation = source[position] & 0xC0 == 0x80
            if marks[position] {
                if isContinuation, !isWithin { kept.removeLastCharacter() }
                if !isWithin { kept += sign.utf8 }
                isWithin = true
            } else if !(isWithin && isContinuation) {
                isWithin = false
                kept.append(source[position])
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// A text in one line, cut off after `limit` characters, with invisible characters as escapes.
    package static func line(_ text: some StringProtocol, upTo limit: Int) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown += scalar.escaped(asASCII: true)
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension [UInt8] {
    /// Removes the bytes of an incomplete character at the end.
    fileprivate mutating func removeLastCharacter() {
        while let last, last & 0xC0 == 0x80 { removeLast() }
        if let last, last & 0x80 != 0 { removeLast() }
    }
}

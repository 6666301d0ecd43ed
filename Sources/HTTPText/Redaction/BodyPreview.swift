/// The beginning of a body, for a log.
package enum BodyPreview {
    /// Returns the part of a body that may be shown; nil if nothing may be shown.
    ///
    /// - Parameters:
    ///   - body: The body. Only its first 64 KiB are examined.
    ///   - contentType: The declared type.
    ///   - secrets: The secrets that must not be shown.
    ///   - harmless: The names in JSON whose values are shown.
    ///   - limit: The largest number of characters shown.
    package static func text(
        of body: Data, contentType: String?, without secrets: KnownSecrets,
        harmless: HarmlessNames, upTo limit: Int
    ) -> String? {
        guard !body.isEmpty, limit > 0 else { return nil }
        var secrets = secrets
        switch BodyText(body, contentType: contentType, harmless: harmless) {
        case .form where !secrets.isComplete, .plain where !secrets.isComplete: return nil
        case .json(let outline):
            // A value hidden in one place must not appear in a message elsewhere.
            for value in outline.values { secrets.add(value) }
            return JSONPreview.text(outline, without: secrets, harmless: harmless, upTo: limit)
        case .form(let text, _): return form(text, without: secrets, upTo: limit)
        case .plain(let text):
            let start = Array(text.prefix(KnownSecrets.shownAtOnce))
            return SafeText.line(
                secrets.shown(start, isCut: start.count < text.count), upTo: limit)
        case .opaque: return nil
        }
    }

    private static func form(
        _ text: [UInt8], without secrets: KnownSecrets, upTo limit: Int
    ) -> String {
        let start = Array(text.prefix(KnownSecrets.shownAtOnce))
        // The text is scrubbed as a whole, because a secret may span a name and a value.
        let scrubbed = SafeText.replacing(secrets.marks(in: start), in: start)
        let names = SafeText.names(inQuery: scrubbed[...])
        return SafeText.line(
            names.dropLast(start.count < text.count ? 1 : 0).joined(separator: "&"), upTo: limit)
    }
}

/// The beginning of a body for a log.
enum BodyPreview {
    /// The part of a body that may be shown; nil if there is none.
    ///
    /// - Parameters:
    ///   - body: The body, of which the first 64 KiB are looked at.
    ///   - contentType: The declared type.
    ///   - secrets: The secrets that must not be shown.
    ///   - harmless: The names in JSON whose own values are shown.
    ///   - limit: How many characters are shown.
    static func text(
        of body: Data, contentType: String?, without secrets: KnownSecrets,
        harmless: HarmlessNames, upTo limit: Int
    ) -> String? {
        guard !body.isEmpty, limit > 0 else { return nil }
        var secrets = secrets
        switch BodyText(body, contentType: contentType, harmless: harmless) {
        case .form where !secrets.isComplete, .plain where !secrets.isComplete: return nil
        case .json(let outline):
            // A value that is hidden at one place must not appear in a message at another.
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
        // As a whole, because a secret may extend over a name and a value.
        let scrubbed = SafeText.replacing(secrets.marks(in: start), in: start)
        let names = SafeText.names(inQuery: scrubbed[...])
        return SafeText.line(
            names.dropLast(start.count < text.count ? 1 : 0).joined(separator: "&"), upTo: limit)
    }
}

/// The beginning of a body as it may stand in a log.
enum BodyPreview {
    /// What may be shown of a body, nil where that is nothing.
    ///
    /// - Parameters:
    ///   - body: The body, of which the first 64 KiB are looked at.
    ///   - contentType: What it is said to be.
    ///   - secrets: What must not be shown.
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
            // What is hidden at one place must not be shown by a message at another.
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
        // Whole, since a secret may go across a name and a value.
        let scrubbed = SafeText.replacing(secrets.marks(in: start), in: start)
        let names = SafeText.names(inQuery: scrubbed[...])
        return SafeText.line(
            names.dropLast(start.count < text.count ? 1 : 0).joined(separator: "&"), upTo: limit)
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        case .json(let outline):
            // What is hidden at one place must not be shown by a message at another.
            for value in outline.values { secrets.add(value) }
            return JSONPreview.text(outline, without: secrets, harmless: harmless, upTo: limit)
        case .form(let text): return form(text, without: secrets, upTo: limit)
        case .plain(let text):
            guard secrets.isComplete else { return nil }
            let start = Array(text.prefix(KnownSecrets.shownAtOnce))
            return SafeText.line(
                secrets.shown(start, isCut: start.count < text.count), upTo: limit)
        case .opaque: return nil
        }
    }

    private static func form(
        _ text: String, without secrets: KnownSecrets, upTo limit: Int
    ) -> String {
        var shown = ""
        for item in text.split(separator: "&", omittingEmptySubsequences: false) {
            if !shown.isEmpty { shown += "&" }
            shown += item.firstIndex(of: "=").map { "\(secrets.scrubbed(item[..<$0]))=…" } ?? "…"
            if shown.utf8.count > 4 * limit { break }
        }
        return SafeText.line(shown, upTo: limit)
    }
}

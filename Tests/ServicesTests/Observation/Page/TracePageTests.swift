import Foundation
import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct TracePageTests {
    let recorder = CallRecorder()

    /// The text between two marks, each of which occurs once in the page.
    private func part(of html: String, from start: String, to end: String) throws -> String {
        let pieces = html.components(separatedBy: start)
        #expect(pieces.count == 2, "\(start) is there \(pieces.count - 1) times")
        return try #require(pieces.last?.components(separatedBy: end).first)
    }

    private func data(of html: String) throws -> String {
        try part(
            of: html, from: #"<script type="application/json" id="data">"#, to: "</script>")
    }

    @Test func itMayLoadAndSendNothing() throws {
        let policy = try part(
            of: recorder.htmlPage,
            from: #"<meta http-equiv="Content-Security-Policy" content=""#, to: "\"")
        #expect(
            policy == "default-src 'none'; style-src 'unsafe-inline'; "
                + "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
    }

    @Test func itNamesNothingFromOutside() throws {
        recorder.observer.receive(.made(.began(name: "load")))
        let html = recorder.htmlPage
        for text in ["http:", "https:", "//cdn", "src=", "href=", "url(", "@import", "import("] {
            #expect(!html.contains(text), "\(text)")
        }
    }

    @Test func ofNothingItIsAPageWithoutCalls() throws {
        let list = try JSONSerialization.jsonObject(
            with: Data(try data(of: recorder.htmlPage).utf8))
        #expect((list as? [Any])?.isEmpty == true)
    }

    /// Texts that would end the script element, open a comment or a tag, or hide something.
    static let hostile = [
        "</script><img src=x onerror=alert(1)>", "</SCRIPT\n>", "<!--<script>", "-->", "]]>",
        "\u{2028}\u{2029}", "\"'`${alert(1)}", "\\\"\\u003c/script>", "&lt;b&gt;",
        "\u{202E}txt.exe",
        "\u{2066}a\u{2069}", "\0\u{1B}[31m\u{7F}", "\u{FEFF}\u{200B}", "<b>bold</b>", "__proto__",
    ]

    @Test(arguments: hostile)
    func noTextOfARecordingIsMarkup(text: String) throws {
        recorder.observer.receive(.made(.began(name: text)))
        recorder.observer.receive(.made(.note(text), by: text, at: 1))
        recorder.observer.receive(.made(.stateChanged(from: text, to: text), at: 2))
        let html = recorder.htmlPage
        // The script element ends where the page ends it, and no other text looks like a tag.
        #expect(html.lowercased().components(separatedBy: "</script").count == 3)
        #expect(!html.contains("<!--"))
        let json = try data(of: html)
        #expect(!json.contains { "<>&".contains($0) })
        #expect(json.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPlain })
        let calls = try JSONDecoder().decode([TracePageDataTests.Call].self, from: Data(json.utf8))
        let shown = text.withVisibleScalars
        #expect(calls.map(\.name) == [shown])
        let rows = try #require(calls.first?.rows)
        #expect(rows.map(\.policy).contains(shown))
        #expect(rows.last?.facts == [["from", shown], ["to", shown]])
    }

    @Test func theScriptAndTheStyleEndWhereThePageEndsThem() {
        for text in [
            TracePageStyle.css, TracePageScript.model, TracePageScript.time, TracePageScript.view,
            TracePageScript.control, TracePageScript.input,
        ] {
            #expect(!text.lowercased().contains("</"))
            #expect(!text.contains("<!--"))
            // Texts are inserted as text, never as markup or code.
            for word in ["innerHTML", "outerHTML", "insertAdjacent", "eval(", "Function("] {
                #expect(!text.contains(word), "\(word)")
            }
        }
    }
}

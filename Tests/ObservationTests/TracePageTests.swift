import Foundation
import PledgeFutures
import ServicesTestSupport
import Testing

@testable import PledgeObservation
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

    @Test func aTracePageMayLoadAndSendNothing() throws {
        let policy = try part(
            of: recorder.htmlPage,
            from: #"<meta http-equiv="Content-Security-Policy" content=""#, to: "\"")
        #expect(
            policy == "default-src 'none'; style-src 'unsafe-inline'; "
                + "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
    }

    @Test func aTracePageNamesNothingFromOutside() throws {
        recorder.observer.receive(.made(.began(name: "load")))
        let html = recorder.htmlPage
        for text in ["http:", "https:", "//cdn", "src=", "href=", "url(", "@import", "import("] {
            #expect(!html.contains(text), "\(text)")
        }
    }

    @Test func aTracePageOfNothingHasNoCalls() throws {
        let list = try JSONSerialization.jsonObject(
            with: Data(try data(of: recorder.htmlPage).utf8))
        #expect((list as? [Any])?.isEmpty == true)
    }

    @Test func aTracePageEscapesInvisibleCharacters() {
        #expect(
            "a\r\nb\u{2028}\u{202E}c\u{E0001}".withVisibleScalars
                == #"a\u{D}\u{A}b\u{2028}\u{202E}c\u{E0001}"#)
        #expect("🇩🇰é日 \"<&>\"".withVisibleScalars == "🇩🇰é日 \"<&>\"")
    }

    /// Texts that would end the script element, open a comment or a tag, or hide something.
    static let hostile = [
        "</script><img src=x onerror=alert(1)>", "</SCRIPT\n>", "<!--<script>", "-->", "]]>",
        "\u{2028}\u{2029}", "\"'`${alert(1)}", "\\\"\\u003c/script>", "&lt;b&gt;",
        "\u{202E}txt.exe",
        "\u{2066}a\u{2069}", "\0\u{1B}[31m\u{7F}", "\u{FEFF}\u{200B}", "<b>bold</b>", "__proto__",
    ]

    @Test(arguments: hostile)
    func noTextOfARecordingIsMarkupInATracePage(text: String) throws {
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

    @Test func aTracePagesScriptAndStyleEndWhereThePageEndsThem() {
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

@Suite struct TracePageDataTests {
    /// A call in the form that the page's script reads.
    struct Call: Decodable {
        let number: UInt64
        let name: String
        let start: Double
        let end: Double
        let dropped: Int
        let rows: [Row]
    }

    struct Row: Decodable, Equatable {
        var depth: Int
        var name: String?
        var event: String?
        var attempt: Int?
        var start: Double
        var end: Double?
        var outcome: String?
        var policy: String
        var facts: [[String]] = []
    }

    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    func calls() throws -> [Call] {
        try JSONDecoder().decode(
            [Call].self, from: Data(TracePageData(of: recorder.calls).json.utf8))
    }

    @Test func aRetryIsSpansAndAMarkInATracePage() throws {
        scheduler.advance(by: .seconds(1_000_000))
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .nanoseconds(30_001))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(Retry(backoff: .constant(.milliseconds(10))), on: scheduler), over: upstream.send
        )(1)
        scheduler.run()
        let call = try #require(try calls().first)
        #expect(call.number == recorder.lastCall?.number)
        #expect(call.name == "load")
        #expect(call.dropped == 0)
        #expect((call.start, call.end) == (0, 20.030001))
        let error = [["error", "Telling"], ["code", "denied"]]
        #expect(
            call.rows == [
                Row(
                    depth: 0, name: "load", attempt: 1, start: 0, end: 20.030001,
                    outcome: "success", policy: "observed"),
                Row(
                    depth: 1, name: "attempt 1", attempt: 1, start: 0, end: 10,
                    outcome: "retryable", policy: "retry", facts: error),
                Row(
                    depth: 1, event: "retrying", start: 10, policy: "retry",
                    facts: [["after_ms", "10"]] + error),
                Row(
                    depth: 1, name: "attempt 2", attempt: 2, start: 20, end: 20.030001,
                    outcome: "success", policy: "retry"),
            ])
    }

    @Test func anUnfinishedCallHasNeitherEndNorOutcomeInATracePage() throws {
        recorder.observer.receive(.made(.began(name: "load")))
        let row = try #require(try calls().first?.rows.first)
        #expect(row.end == nil)
        #expect(row.outcome == nil)
    }

    @Test func callsAreOnOneClockInATracePage() throws {
        for call in 1...2 {
            recorder.observer.receive(
                .made(.began(name: "load"), at: call * 50, call: UInt64(call)))
        }
        #expect(try calls().map(\.start) == [0, 50])
    }

    @Test func aTracePageCountsWhatWasNotKept() throws {
        let recorder = CallRecorder(eventsPerCall: 1)
        for event: PolicyEvent in [.made(.began(name: "load")), .made(.hit), .made(.hit)] {
            recorder.observer.receive(event)
        }
        #expect(TracePageData(of: recorder.calls).json.contains(#""dropped":2,"#))
    }

    @Test func anEventTakesSomeHundredBytesOfATracePage() {
        let recorder = CallRecorder(calls: 1, eventsPerCall: 10_000)
        recorder.observer.receive(.made(.began(name: "load")))
        for span in 2...10_000 {
            let name = "attempt \(span)"
            recorder.observer.receive(.made(.began(name: name), by: "retry", span: span, in: 1))
            recorder.observer.receive(.made(.ended(), by: "retry", at: span, span: span, in: 1))
        }
        let count = TracePageData(of: recorder.calls).json.utf8.count
        #expect(count < 150 * 10_000, "\(count) bytes")
    }
}

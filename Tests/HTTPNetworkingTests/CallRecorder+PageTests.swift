import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeObservation
import PledgeServices
import Testing

@Suite struct CallRecorderPageTests {
    private let recorder = CallRecorder()

    @Test func thePageReplacesWhatStandsInTheFile() throws {
        let folder = try TestFolder()
        let file = try folder.file("calls.html", Data(repeating: 0x20, count: 1 << 20))
        _ = stack(.observed(by: recorder.observer), over: { (id: Int) in Future(value: id) })(7)
        try recorder.page(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == recorder.htmlPage)
        #expect(folder.names == ["calls.html"])
    }

    @Test func aFileThatCannotBeWrittenIsAnError() throws {
        let folder = try TestFolder()
        let missing = folder.url.appendingPathComponent("missing/calls.html")
        let page = try #require(URL(string: "https://shop.example/calls.html"))
        for file in [missing, folder.url, page] {
            #expect(throws: (any Error).self) { try recorder.page(to: file) }
        }
        #expect(folder.names == [])
    }

    /// User info, query, fields, body and the error's text, for each way to name a call.
    @Test func noSecretOfACallStandsInThePage() throws {
        let url = try #require(
            URL(string: "https://ada:pa55word@shop.example/orders?token=qu3ry-t0ken#fr4gment"))
        let request = HTTPRequest(
            .post, url,
            headers: [
                "Authorization": "Bearer h3ader-t0ken", "Cookie": "sid=c00kie-value",
                "X-Api-Key": "k3y-value",
            ],
            body: .data(Data("b0dy-value".utf8)))
        let error = HTTPError(
            code: .unacceptableStatus, request: request,
            response: HTTPResponse(status: 403, body: Data("no h3ader-t0ken".utf8)))
        let service: HTTPService = stack(
            .observed(by: recorder.observer, named: { "\($0)" }),
            .retry(Retry(attempts: 2, backoff: .constant(.zero))),
            over: { _ in Future(error: error) })
        _ = service(request)
        let html = recorder.htmlPage
        #expect(html.contains("orders?token=…"))
        #expect(html.contains(#"["code","403"]"#))
        for secret in [
            "ada", "pa55word", "qu3ry", "fr4gment", "h3ader", "c00kie", "k3y-value", "b0dy",
        ] {
            #expect(!html.contains(secret), "\(secret)")
        }
    }
}

/// Pages that `.ci/browser` opens in a browser: they are written into the folder PLEDGE_PAGES, or into one
/// that is removed afterwards.
@Suite struct PageForABrowserTests {
    private let scheduler = ManualScheduler()

    private func write(_ recorder: CallRecorder, as name: String) throws -> String {
        let folder = try TestFolder()
        let chosen = ProcessInfo.processInfo.environment["PLEDGE_PAGES"]
        let file = (chosen.map { URL(fileURLWithPath: $0) } ?? folder.url)
            .appendingPathComponent(name)
        try recorder.page(to: file)
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// A redirect, a retry, a hedge that wins, an answer from the cache, and a 404.
    @Test func aPageOfCallsOverHTTPIsWrittenForTheBrowser() throws {
        let recorder = CallRecorder()
        let service: HTTPService = stack(
            .observed(by: recorder.observer, on: scheduler, named: { "\($0)" }), .redirect(),
            .cache(sharing: HTTPCache(on: scheduler)),
            .retry(Retry(backoff: .constant(.milliseconds(20))), on: scheduler),
            .hedge(sharing: Hedge(after: .milliseconds(25), maxExtraLoad: 1, on: scheduler)),
            over: server)
        for path in ["/old", "/new?token=s3cret", "/missing"] {
            let url = try #require(URL(string: "https://ada:s3cret@shop.example\(path)"))
            let call = service(HTTPRequest(.get, url))
            scheduler.run()
            #expect(call.valueNow?.status == (path == "/missing" ? 404 : 200))
        }
        let html = try write(recorder, as: "http.html")
        #expect(html.contains("302 to https://shop.example"))
        #expect(!html.contains("s3cret"))
    }

    /// Redirects to a path that answers 503 twice, then slowly, and then one more time quickly.
    private var server: HTTPService {
        let answers = Locked<ArraySlice<(Int, HTTPResponse)>>([
            (20, HTTPResponse(status: 302, headers: ["Location": "/new?token=s3cret"])),
            (10, HTTPResponse(status: 503)), (10, HTTPResponse(status: 503)),
            (200, HTTPResponse(status: 200)),
            (30, HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=3600"])),
            (10, HTTPResponse(status: 404)),
        ])
        return { [scheduler] _ in
            CallContext.current.report(.note("192.0.2.7:443, kept"), by: "transport")
            let (latency, answer) = answers.withLock { $0.popFirst() } ?? (0, .init(status: 500))
            return Future(value: answer).delay(.milliseconds(latency), on: scheduler)
        }
    }

    /// Texts that would be markup, code or reordered letters if they were not escaped.
    @Test func aPageOfHostileTextsIsWrittenForTheBrowser() throws {
        let recorder = CallRecorder()
        let texts = [
            "</script><img src=x onerror=\"window.isOpen=1\">", "<!--<script>window.isOpen=1",
            "'\"`${window.isOpen=1}\\", "\u{2028}\u{2029}\u{202E}abc\u{2066}\u{0}", "&lt;i&gt;",
        ]
        for text in texts {
            let service = stack(
                .observed(by: recorder.observer, on: scheduler, named: { _ in text }),
                over: { (id: Int) in
                    CallContext.current.report(.note(text), by: text)
                    return Future(value: id)
                })
            _ = service(7)
        }
        let html = try write(recorder, as: "hostile.html")
        #expect(html.components(separatedBy: "</script>").count == 3)
    }

    /// Ten thousand spans, nested up to a depth of ten, and one event more than is kept.
    @Test func aPageOfManySpansIsWrittenForTheBrowser() throws {
        let recorder = CallRecorder(calls: 1, eventsPerCall: 10_000)
        func receive(_ kind: PolicyEvent.Kind, _ milliseconds: Int, span: Int, in parent: Int?) {
            recorder.observer.receive(
                PolicyEvent(
                    kind: kind, policy: span == 1 ? "observed" : "retry",
                    instant: SchedulerInstant(offset: .milliseconds(milliseconds)), call: 1,
                    span: span, parent: parent, attempt: 1))
        }
        for span in 1...10_001 {
            let parent = span == 1 ? nil : span % 10 == 2 ? 1 : span - 1
            receive(.began(name: "span \(span)"), span, span: span, in: parent)
        }
        for span in (1...10_001).reversed() {
            let outcome: Outcome = span == 7_777 ? .failure : .success
            let instant = span == 1 ? 20_000 : span + 9_000
            receive(.ended(outcome, latency: .zero, error: nil), instant, span: span, in: nil)
        }
        #expect(try write(recorder, as: "many.html").contains(#""dropped":1,"#))
    }

    @Test func aPageOfNoCallsIsWrittenForTheBrowser() throws {
        #expect(try write(CallRecorder(), as: "empty.html").contains("Recorded calls"))
    }
}

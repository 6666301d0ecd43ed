import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
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
            .retry(attempts: 2, backoff: .constant(.zero)), over: { _ in Future(error: error) })
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

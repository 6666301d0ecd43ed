import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@Suite struct HTTPBodyStreamProgressTests {
    /// The reports, as texts.
    final class Reports: Sendable {
        private let lines = Locked<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ completed: Int64, _ total: Int64?) {
            lines.withLock { $0.append("\(completed)/\(total.map { "\($0)" } ?? "?")") }
        }
    }

    let reports = Reports()

    @Test func eachChunkIsReportedBeforeItIsGiven() {
        let stream = HTTPBodyStream(texts: ["ab", "c"], length: 3)
            .reportingProgress(to: reports.add)
        #expect(stream.length == 3)
        #expect(reports.all == [])
        #expect(stream.next().text == "ab")
        #expect(reports.all == ["2/3"])
        #expect(stream.collected(upTo: 9).success == Data("c".utf8))
        #expect(reports.all == ["2/3", "3/3"])
        #expect(HTTPBodyStream(texts: ["a"]).reportingProgress(to: reports.add).next().text == "a")
        #expect(reports.all.last == "1/?")
    }

    @Test func cancellingReachesAStreamWhoseProgressIsReported() {
        let source = ScriptedSource()
        _ = source.stream().reportingProgress(to: reports.add).next()
        source.give("a")
        #expect(source.cancelled == 1)
    }

    @Test func aBodyCountsEachAttemptFromZero() throws {
        let body = HTTPRequest.Body.data(Data("abc".utf8), contentType: "text/plain")
            .reportingProgress(to: reports.add)
        #expect(body.contentType == "text/plain")
        #expect(body.length == 3)
        #expect(body.isReplayable)
        for _ in 0..<2 { #expect(try body.open().collected(upTo: 9).success?.count == 3) }
        #expect(reports.all == ["3/3", "3/3"])
    }

    @Test func aBodyThatCanBeSentOnceStaysSoWithProgress() throws {
        let source = HTTPRequest.BodySource(isReplayable: false) { HTTPBodyStream(texts: ["a"]) }
        let body = HTTPRequest.Body.stream(source).reportingProgress(to: reports.add)
        #expect(!body.isReplayable)
        _ = try body.open()
        let error = #expect(throws: HTTPError.self) { try body.open() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func anEmptyBodyStaysAsItIsWithProgress() {
        #expect(HTTPRequest.Body.none.reportingProgress(to: reports.add) == .none)
    }

    @Test func theMiddlewareReportsUploadsAndDownloads() throws {
        let (sent, received) = (Reports(), Reports())
        let transport: HTTPStreamingService = { request in
            Future(value: request).flatMap { try $0.body.open().collected(upTo: 9) }
                .map { HTTPStreamedResponse(status: 200, body: HTTPBodyStream($0, chunksOf: 2)) }
        }
        let service = stack(
            .uploadProgress(sent.add), .downloadProgress(received.add), over: transport)
        let url = try #require(URL(string: "https://a.example"))
        let request = HTTPRequest(.post, url, body: .data(Data("abc".utf8)))
        let response = service(request).flatMap { $0.collected(upTo: 9) }
        #expect(response.success?.text == "abc")
        #expect(sent.all == ["3/3"])
        #expect(received.all == ["2/3", "3/3"])
    }
}

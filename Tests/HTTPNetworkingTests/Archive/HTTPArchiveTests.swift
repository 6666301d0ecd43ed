import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit
@testable import PledgeObservation

@Suite struct HTTPArchiveTests {
    private let url = URL(string: "https://a.example/p?b=1&c=%20x")!

    private func archive(entry: String) throws -> HTTPArchive {
        try HTTPArchive(Data(#"{"log": {"entries": [\#(entry)]}}"#.utf8))
    }

    @Test(
        "what is written is read back equal: texts, bytes, times, failures and what was left out"
    )
    func everythingIsReadBack() throws {
        var metrics = ConnectionMetrics()
        metrics.protocolVersion = "HTTP/2"
        metrics.untilNameLookup = .milliseconds(1)
        metrics.untilConnected = .milliseconds(3)
        metrics.untilSecure = .milliseconds(7)
        var response = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain", "X": "é\"\\"],
            body: Data("a\u{1}\"\\\n\u{2028}é".utf8), url: url)
        response.timing.untilHeaders = .milliseconds(20)
        response.timing.total = .microseconds(30_250)
        response.timing.connection = metrics
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        var whole = HTTPArchive.Entry(
            HTTPRequest(.post, url, headers: ["A": "b"], body: .data(Data([0xFF, 0]))), response,
            startedAt: date, duration: .microseconds(30_250))
        whole.comment = "a note"
        var partial = HTTPArchive.Entry(
            HTTPRequest(url), HTTPResponse(status: 206, body: Data([0xFE]), url: url),
            failure: "connectionLost", startedAt: Date(timeIntervalSince1970: -1.5))
        partial.response?.timing.total = .zero
        var omitted = HTTPArchive.Entry(HTTPRequest(.put, url), HTTPResponse(status: 200, url: url))
        omitted.missingRequestBody = "9 bytes, left out"
        omitted.missingResponseBody = "8 bytes, left out"
        let failed = HTTPArchive.Entry(
            HTTPRequest(url), nil, failure: "timedOut", duration: .seconds(2))
        let archive = HTTPArchive(entries: [whole, partial, omitted, failed])
        #expect("\(archive)" == "a recording of 4 exchanges")
        #expect("\(HTTPArchive(entries: [whole]))" == "a recording of 1 exchange")

        let read = try HTTPArchive(archive.encoded)
        #expect(read.entries.count == 4)
        for (read, written) in zip(read.entries, archive.entries) { #expect(read == written) }
        #expect(read.entries[0].response?.timing == response.timing)
        #expect(read.entries[0].request.body.data == Data([0xFF, 0]))
        #expect(read.encoded == archive.encoded)
    }

    @Test("dates have milliseconds, and unknown times are -1")
    func datesHaveMilliseconds() throws {
        let entry = HTTPArchive.Entry(
            HTTPRequest(url), HTTPResponse(status: 200),
            startedAt: Date(timeIntervalSince1970: 1_700_000_000.0456), duration: .milliseconds(5))
        let text = String(decoding: HTTPArchive(entries: [entry]).encoded, as: UTF8.self)
        #expect(text.contains(#""startedDateTime": "2023-11-14T22:13:20.046Z""#))
        #expect(text.contains(#""time": 5,"#))
        for line in [
            #""blocked": -1"#, #""dns": -1"#, #""connect": -1"#, #""ssl": -1"#, #""send": 0"#,
            #""wait": 5"#, #""receive": 0"#,
        ] {
            #expect(text.contains(line), "\(line)")
        }
        #expect(text.contains(#""version": "1.2""#))
        #expect(text.contains(#""value": " x""#))
    }

    @Test("an archive's file is replaced as a whole, and only its user may read it")
    func anArchivesFileIsReplacedAsAWhole() throws {
        let folder = try TestFolder()
        let file = folder.url.appendingPathComponent("new/a.har")
        let archive = HTTPArchive(entries: [
            .init(HTTPRequest(url), HTTPResponse(status: 204, url: url))
        ])
        try HTTPArchive().write(to: file)
        try archive.write(to: file)
        #expect(try HTTPArchive(contentsOf: file) == archive)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: file.deletingLastPathComponent().path)
        #expect(names == ["a.har"])
        #expect(throws: FileError.self) {
            try archive.write(to: file.appendingPathComponent("b.har"))
        }
    }

    @Test("a recording of Chrome is read: pseudo-headers, unknown members, Base64")
    func aRecordingOfChromeIsRead() throws {
        let entry = try #require(
            try archive(
                entry: #"""
                    {"_initiator": {"type": "script"}, "_priority": "High", "cache": {}, "pageref": "page_1",
                     "request": {"method": "GET", "url": "https://a.example/p", "httpVersion": "h2",
                      "headers": [{"name": ":authority", "value": "a.example"}, {"name": ":path", "value": "/p"},
                                  {"name": "accept", "value": "*/*"}], "queryString": [], "cookies": []},
                     "response": {"status": 200, "statusText": "", "httpVersion": "h2",
                      "headers": [{"name": "content-encoding", "value": "br"},
                                  {"name": "set-cookie", "value": "a=1\nb=2"}],
                      "content": {"size": 2, "mimeType": "image/png", "text": "/wA=", "encoding": "base64"},
                      "_transferSize": 99, "_error": null},
                     "serverIPAddress": "127.0.0.1", "startedDateTime": "2026-11-28T04:00:00.5Z", "time": 12.5,
                     "timings": {"blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 1, "wait": 8,
                                 "receive": 2, "_blocked_queueing": 0.4}}
                    """#
            ).entries.first)
        #expect(entry.request.headers == ["accept": "*/*"])
        #expect(entry.response?.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(entry.response?.body == Data([0xFF, 0]))
        #expect(entry.response?.timing.untilHeaders == .microseconds(10_500))
        #expect(entry.response?.timing.total == .microseconds(12_500))
        #expect(entry.response?.timing.connection?.protocolVersion == "h2")
        #expect(entry.startedAt.timeIntervalSince1970 == 1_795_838_400.5)
        #expect(entry.failure == nil)
    }

    @Test(
        "a recording of Firefox is read: time zones, forms as fields, members that are missing")
    func aRecordingOfFirefoxIsRead() throws {
        let entries = try archive(
            entry: #"""
                {"startedDateTime": "2026-11-28T05:00:00.250+01:00",
                 "request": {"method": "POST", "url": "https://a.example/f", "headers": [],
                  "postData": {"mimeType": "application/x-www-form-urlencoded", "params":
                   [{"name": "a", "value": "1 2"}]}},
                 "response": {"status": 200, "headers": [], "content": {"mimeType": "text/plain", "size": 7}}},
                {"request": {"method": "GET", "url": "https://a.example/none"}, "response": {"status": 0,
                 "_error": "net::ERR_FAILED"}},
                {"request": {"method": "GET", "url": "https://a.example/e"}}
                """#
        ).entries
        #expect(entries.count == 3)
        #expect(entries[0].startedAt.timeIntervalSince1970 == 1_795_838_400.25)
        #expect(entries[0].request.body.data.map { String(decoding: $0, as: UTF8.self) } == "a=1+2")
        #expect(entries[0].missingResponseBody != nil)
        #expect(entries[1].response == nil && entries[1].failure == "net::ERR_FAILED")
        #expect(entries[2].response == nil && entries[2].failure == "")
    }

    @Test func anEmptyTextIsNoBodyWhateverTypeItHas() throws {
        let text = """
            {"log": {"entries": [{"request": {"method": "GET", "url": "https://a.example/",
              "postData": {"mimeType": "text/plain", "text": ""}}}]}}
            """
        let archive = try HTTPArchive(Data(text.utf8))
        #expect(archive.entries.map(\.request.body) == [.none])
        #expect(try HTTPArchive(archive.encoded) == archive)
    }

    @Test(arguments: [
        ("", ""), ("{", ""), ("[]", ""), ("{}", "log"), (#"{"log": 1}"#, "log"),
        (#"{"log": {}}"#, "log.entries"), (#"{"log": {"entries": [1]}}"#, "log.entries[0]"),
        (#"{"log": {"entries": [{}]}}"#, "log.entries[0].request"),
        (
            #"{"log": {"entries": [{"request": {"method": "A B"}}]}}"#,
            "log.entries[0].request.method"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": 1}}]}}"#,
            "log.entries[0].request.url"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a", "headers": [{}]}}]}}"#,
            "log.entries[0].request.headers[0]"
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a"}, "response": {"status": 200, "content": {"text": "!", "encoding": "base64"}}}]}}"#,
            "log.entries[0].response.content.text"
        ),
        (String(repeating: "[", count: 100_000), ""),
    ])
    func aDamagedOrForeignFileIsAnErrorWithThePlace(text: String, place: String) throws {
        let error = #expect(throws: HTTPArchive.ReadError.self) {
            try HTTPArchive(Data(text.utf8))
        }
        #expect(error?.place == place)
        let file = try TestFolder().url.appendingPathComponent("none.har")
        let missing = #expect(throws: HTTPArchive.ReadError.self) {
            try HTTPArchive(contentsOf: file)
        }
        #expect("\(try #require(missing))".contains("none.har"))
    }

    @Test func theDescriptionOfARecordingShowsNoSecret() throws {
        let secret = URL(string: "https://u:s3cret@a.example/?key=s3cret")!
        let entry = HTTPArchive.Entry(
            HTTPRequest(secret, headers: ["Authorization": "s3cret"]),
            HTTPResponse(status: 200, body: Data("s3cret".utf8)))
        let archive = HTTPArchive(entries: [entry])
        for text in [
            "\(entry)", "\(archive)", String(reflecting: entry), String(reflecting: archive),
        ] {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        var dumped = ""
        dump(archive, to: &dumped)
        dump(entry, to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}

/// A recording that `.ci/browser` opens in Chromium's developer tools: it's written into the folder PLEDGE_PAGES, or into
/// one that goes away.
@Suite struct RecordingForABrowserTests {
    @Test func aRecordingIsWrittenForTheBrowser() throws {
        let folder = try TestFolder()
        let chosen = ProcessInfo.processInfo.environment["PLEDGE_PAGES"]
        let file = (chosen.map { URL(fileURLWithPath: $0) } ?? folder.url)
            .appendingPathComponent("recording.har")
        let scheduler = ManualScheduler()
        let recorder = HTTPRecorder(
            bodyLimit: 100, on: scheduler, startingAt: Date(timeIntervalSince1970: 1_700_000_000),
            redact: nil)
        let service: HTTPService = stack(
            .record(into: recorder),
            over: { request in
                switch request.url.path {
                case "/lost": return Future(error: HTTPError(code: .connectionLost))
                case "/large":
                    return Future(value: HTTPResponse(status: 200, body: Data(count: 101)))
                case "/bytes":
                    return Future(value: HTTPResponse(status: 200, body: Data([0xFF, 0])))
                default:
                    let response = HTTPResponse(
                        status: 201,
                        headers: ["Content-Type": "text/plain", "Set-Cookie": "a=s3cret"],
                        body: Data("Rain \u{2028}\"\\\u{1}".utf8))
                    return Future(value: response).delay(.milliseconds(35), on: scheduler)
                }
            })
        for path in ["/news?page=2&token=s3cret", "/bytes", "/large", "/lost"] {
            var request = HTTPRequest(.post, URL(string: "https://a.example\(path)")!)
            request.headers = ["Authorization": "Bearer s3cret"]
            request.body = .data(Data("user=ann&password=s3cret".utf8), contentType: "text/plain")
            _ = service(request)
            scheduler.run()
        }
        try recorder.archive.write(to: file)
        #expect(try HTTPArchive(contentsOf: file).entries.count == 4)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("s3cret"))
    }
}

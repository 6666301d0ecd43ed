import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeInMemoryTransport
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies
@testable import PledgeStorage

@Suite(.oneAtATime) struct ResumableUploadTests {
    private let folder: TestFolder
    private let file: URL
    private let record: URL
    private let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let request: HTTPRequest

    static let protocols: [ResumableUploadProtocol] =
        [.tus] + (3...8).map { .ietfDraft(interopVersion: $0) }

    init() throws {
        folder = try TestFolder()
        file = try folder.file("film.mp4", content)
        record = try folder.file("record")
        request = HTTPRequest(
            .post, try #require(URL(string: "https://a.example/files")),
            headers: ["X-API-Key": "s3cret", "Content-Type": "video/mp4", "X-Note": "n"])
    }

    private func send(
        to server: UploadServer, by proto: ResumableUploadProtocol, record: URL? = nil,
        partSize: Int64? = nil, attempts: Int = 1,
        progress: (@Sendable (Int64, Int64?) -> Void)? = nil
    ) -> Future<HTTPResponse> {
        upload(
            file, with: request, over: server.answer, by: proto, record: record,
            partSize: partSize,
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))),
            progress: progress)
    }

    @Test(arguments: protocols)
    func anUploadIsCreatedAndThenItsBytesAreSent(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        let seen = Locked<[Int64]>([])
        let response = try await send(
            to: server, by: proto, progress: { count, _ in seen.withLock { $0.append(count) } }
        ).value
        #expect((200...299).contains(response.status))
        #expect(server.content == content && server.isComplete)
        #expect(server.methods == ["POST", "PATCH"])
        #expect(seen.withLock { $0.last } == 20_000)
        #expect(server.problems.isEmpty)
    }

    @Test(arguments: protocols)
    func afterALostConnectionTheRestFollowsFromWhereTheServerIs(proto: ResumableUploadProtocol)
        async throws
    {
        let server = UploadServer(proto)
        server.lose(after: [5_000, 0, 3_000])
        _ = try await send(to: server, by: proto, attempts: 3).value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        #expect(
            server.methods
                == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test(arguments: protocols)
    func aLaterCallGoesOnWithTheRecordedUpload(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        server.lose(after: [7_000])
        let first = send(to: server, by: proto, record: record)
        await #expect(throws: HTTPError.self) { try await first.value }
        let facts = try FileManager.default.attributesOfItem(atPath: record.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        _ = try await send(to: server, by: proto, record: record).value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(folder.names == ["film.mp4"])
    }

    @Test(arguments: protocols)
    func ifOnlyTheLastAnswerWasLostNothingIsSentAgain(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        server.lose(after: [20_000])
        let response = try await send(to: server, by: proto, attempts: 2).value
        #expect((200...299).contains(response.status))
        #expect(server.methods == ["POST", "PATCH", "HEAD"])
        #expect(server.content == content && server.problems.isEmpty)
    }

    @Test(arguments: protocols)
    func anUploadThatTheServerHasForgottenBeginsAnew(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        server.lose(after: [7_000])
        let first = send(to: server, by: proto, record: record)
        await #expect(throws: HTTPError.self) { try await first.value }
        server.forget()
        _ = try await send(to: server, by: proto, record: record).value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
    }

    @Test("a server that forgets each upload at once ends the call, and leaves no record")
    func aServerThatForgetsEachUploadAtOnceEndsTheCall() async throws {
        let network = MemoryTransport(routes: [
            .post("/files", answer: .status(201, headers: ["Location": "/files/1"])),
            .any("/files/1", answer: .status(404)),
        ])
        let rules = Resumption(Retry(attempts: 2, backoff: .constant(.zero)))
        let saving = upload(
            file, with: request, over: network.send, by: .tus, record: record, resuming: rules)
        let error = await #expect(throws: HTTPError.self) { try await saving.soon }
        #expect(error?.status == 404 && network.calls.count == 6)
        #expect(folder.names == ["film.mp4"])
    }

    @Test func anotherFileUnderTheSameNameIsANewUpload() async throws {
        let server = UploadServer(.tus)
        server.lose(after: [7_000])
        let first = send(to: server, by: .tus, record: record)
        await #expect(throws: HTTPError.self) { try await first.value }
        try FileManager.default.removeItem(at: file)
        try Data(content.reversed()).write(to: file)
        _ = try await send(to: server, by: .tus, record: record).value
        #expect(server.content == Data(content.reversed()))
        #expect(server.methods == ["POST", "PATCH", "POST", "PATCH"])
    }

    @Test(arguments: protocols)
    func anUploadAsksForTheOffsetAfterAConflict(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        server.refuse([409, 423])
        _ = try await send(to: server, by: proto, attempts: 3).value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test(
        "bodies are no larger than asked for, or than the server allows", arguments: protocols)
    func bodiesAreNoLargerThanAskedFor(proto: ResumableUploadProtocol) async throws {
        let server = UploadServer(proto)
        _ = try await send(to: server, by: proto, partSize: 6_000).value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        #expect(server.methods == ["POST", "PATCH", "PATCH", "PATCH", "PATCH"])
        let limited = UploadServer(proto)
        limited.limit(to: 15_000)
        _ = try await send(to: limited, by: proto).value
        #expect(limited.content == content && limited.methods == ["POST", "PATCH", "PATCH"])
    }

    @Test(arguments: protocols)
    func anEmptyFileIsUploadedToo(proto: ResumableUploadProtocol) async throws {
        try Data().write(to: file)
        let server = UploadServer(proto)
        _ = try await send(to: server, by: proto).value
        #expect(server.methods == ["POST"] && server.content.isEmpty && server.isComplete)
    }

    @Test func anotherOriginGetsNoSecretHeader() async throws {
        let server = UploadServer(.tus, at: "https://cdn.example/up/1")
        _ = try await send(to: server, by: .tus).value
        let requests = server.requests
        #expect(requests[0].headers["X-API-Key"] == "s3cret")
        #expect(requests[1].headers["X-API-Key"] == nil && requests[1].headers["X-Note"] == nil)
        #expect(server.content == content)
        let same = UploadServer(.tus)
        _ = try await send(to: same, by: .tus).value
        #expect(same.requests[1].headers["X-API-Key"] == "s3cret")
        let insecure = UploadServer(.tus, at: "http://a.example/up/1")
        let saving = send(to: insecure, by: .tus)
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.code == .badResponse && insecure.methods == ["POST"])
    }

    @Test func aServerThatBreaksTheProtocolFailsTheUploadWithAClearError() async throws {
        for headers in [[:], ["Location": "mailto:a@b"]] as [HTTPHeaders] {
            let saving = upload(
                file, with: request,
                over: { _ in Future(value: HTTPResponse(status: 201, headers: headers)) },
                by: .tus)
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.code == .badResponse)
        }
        for offset in ["20001", "-1", "x", ""] {
            let server = UploadServer(.tus)
            server.lose(after: [1_000])
            server.claim(offset)
            let saving = send(to: server, by: .tus, attempts: 2)
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.code == .badResponse, "\(offset)")
        }
        let refused = send(to: UploadServer(.ietfDraft()), by: .tus)
        let error = await #expect(throws: HTTPError.self) { try await refused.value }
        #expect(error?.status == 412)
    }

    /// Uploads by parts of 8,000 bytes to a server that gives the next answers to PATCH and HEAD.
    ///
    /// The connection is lost in place of an answer with the header Lost, and after the last one.
    private func send(
        _ answers: [HTTPHeaders], by proto: ResumableUploadProtocol
    ) async -> (error: HTTPError?, requests: Int) {
        let rest = Locked(answers)
        let saving = upload(
            file, with: request,
            over: { request in
                if request.method == .post {
                    return Future(value: HTTPResponse(status: 201, headers: ["Location": "/1"]))
                }
                let headers = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return Future(value: request).flatMap {
                    try $0.body.open().collected(upTo: 1 << 20)
                }
                .map { _ in
                    guard let headers, headers["Lost"] == nil else {
                        throw HTTPError(code: .connectionLost)
                    }
                    return HTTPResponse(status: 204, headers: headers)
                }
            }, by: proto, partSize: 8_000,
            resuming: Resumption(Retry(attempts: 2, backoff: .constant(.zero))))
        _ = await saving.resultSoon
        return (saving.failure as? HTTPError, answers.count - rest.withLock { $0.count })
    }

    @Test(arguments: protocols)
    func aServerThatTakesNoBytesIsNotSentThemAgain(proto: ResumableUploadProtocol) async {
        for offset in [0, 7_999, 8_000] {
            let answers = ["8000", "\(offset)", "8000"].map { ["Upload-Offset": $0] as HTTPHeaders }
            let end = await send(answers, by: proto)
            #expect(end.error?.code == .badResponse && end.requests == 2)
        }
    }

    @Test(arguments: protocols)
    func anUploadIsNotCompleteBeforeTheServerHasAllBytes(proto: ResumableUploadProtocol) async {
        let more = await send([["Upload-Offset": "20000"]], by: proto)
        #expect(more.error?.code == .badResponse && more.requests == 1)
        for offset in ["8001", "20000"] {
            let lost = await send([["Lost": "1"], ["Upload-Offset": offset]], by: proto)
            #expect(lost.error?.code == .badResponse && lost.requests == 2, "\(offset)")
        }
        guard let draft = proto.draft else { return }
        let (mark, yes) = draft == 3 ? ("Upload-Incomplete", "?0") : ("Upload-Complete", "?1")
        func complete(_ offset: String) -> HTTPHeaders { [mark: yes, "Upload-Offset": offset] }
        // A lost PATCH is followed by a HEAD.
        let broken: [[HTTPHeaders]] = [
            [[mark: yes]], [complete("8000")], [complete("20000")],
            [[:], [:], complete("19999")], [[:], ["Lost": "1"], complete("8000")],
            [[:], ["Lost": "1"], [mark: yes]], [[:], ["Lost": "1"], complete("20000")],
        ]
        for answers in broken {
            let end = await send(answers, by: proto)
            #expect(end.error?.code == .badResponse && end.requests == answers.count)
        }
        let whole: [[HTTPHeaders]] = [
            [[:], [:], complete("20000")], [[:], [:], ["Upload-Offset": "19999"], [mark: yes]],
            [[:], [:], ["Lost": "1"], complete("20000")],
        ]
        for answers in whole {
            let end = await send(answers, by: proto)
            #expect(end.error == nil && end.requests == answers.count)
        }
    }

    @Test(arguments: protocols)
    func aLimitInTheAnswerToAllBytesAsksForNoneOfThemAgain(proto: ResumableUploadProtocol) async {
        let limit: HTTPHeaders = ["Upload-Limit": "max-append-size=100"]
        var last = limit
        if proto.draft == nil { last.set("20000", for: "Upload-Offset") }
        let end = await send(
            [["Upload-Offset": "8000"], ["Upload-Offset": "16000"], last], by: proto)
        #expect(end.error == nil && end.requests == 3)
    }

    @Test("a file that isn't there, and a record that can't be written, are typed errors")
    func aMissingFileIsATypedError() async throws {
        let nowhere = folder.url.appendingPathComponent("nothing")
        let missing = upload(
            nowhere, with: request, over: UploadServer(.tus).answer, by: .tus)
        let error = await #expect(throws: HTTPError.self) { try await missing.value }
        #expect(error?.code == .bodyUnreadable && error?.request?.url == request.url)
        let unwritable = send(
            to: UploadServer(.tus), by: .tus, record: file.appendingPathComponent("record"))
        let second = await #expect(throws: HTTPError.self) { try await unwritable.value }
        #expect(second?.code == .fileUnwritable && second?.request?.url == request.url)
    }

    @Test func aPlaceWhereNoRecordCanBeWrittenFailsBeforeTheServerMakesAnUpload() async throws {
        let places = [
            folder.url, folder.url.appendingPathComponent("nowhere/record"),
            file.appendingPathComponent("record"),
        ]
        for place in places {
            let server = UploadServer(.tus)
            let saving = send(to: server, by: .tus, record: place)
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.code == .fileUnwritable && server.methods.isEmpty)
            #expect("\(try #require(error))".contains(place.path))
            #expect(folder.names == ["film.mp4"])
        }
    }

    @Test("a link's target is uploaded, and only a regular file can be")
    func aLinksTargetIsUploaded() async throws {
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let server = UploadServer(.tus)
        server.lose(after: [7_000])
        let rules = Resumption(Retry(attempts: 2, backoff: .constant(.zero)))
        let saving = upload(link, with: request, over: server.answer, by: .tus, resuming: rules)
        _ = try await saving.value
        #expect(server.content == content && server.isComplete && server.problems.isEmpty)
        let broken = folder.url.appendingPathComponent("broken")
        try FileManager.default.createSymbolicLink(
            at: broken, withDestinationURL: folder.url.appendingPathComponent("nothing"))
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for other in [folder.url, broken, pipe] {
            let saving = upload(other, with: request, over: server.answer, by: .tus)
            let error = await #expect(throws: HTTPError.self) { try await saving.soon }
            #expect(error?.code == .bodyUnreadable)
        }
    }

    @Test func aDamagedRecordBeginsAnew() async throws {
        let server = UploadServer(.tus)
        server.lose(after: [7_000])
        let first = send(to: server, by: .tus, record: record)
        await #expect(throws: HTTPError.self) { try await first.value }
        var bytes = try Data(contentsOf: record)
        bytes[70] ^= 1
        try bytes.write(to: record)
        _ = try await send(to: server, by: .tus, record: record).value
        #expect(server.methods == ["POST", "PATCH", "POST", "PATCH"])
        #expect(server.content == content)
    }

    @Test func afterAnUploadThatTheServerEndedTooEarlyTheNextCallBeginsAnew() async throws {
        for proto in Self.protocols where proto.draft != nil {
            let server = UploadServer(proto)
            server.lose(after: [7_000])
            let lost = send(to: server, by: proto, record: record)
            await #expect(throws: HTTPError.self) { try await lost.value }
            server.end()
            _ = try await send(to: server, by: proto, record: record).value
            #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
            #expect(server.content == content)
        }
    }

    @Test("a client uploads with its headers, and waits as its retry says")
    func aClientUploadsWithItsHeaders() async throws {
        let server = UploadServer(.tus)
        let scheduler = ManualScheduler()
        var client = HTTPClient(base: URL(string: "https://a.example"), over: server.answer)
        client.headers = ["X-Client": "c"]
        client.retry = .init(attempts: 2, backoff: .constant(.seconds(5)))
        client.scheduler = scheduler
        server.lose(after: [9_000])
        let saving = client.futures.upload(file, to: "/files", by: .tus)
        #expect(await comesTrue { !scheduler.isIdle && server.methods.count == 2 })
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(1))
                return saving.result != nil
            })
        _ = try await saving.value
        #expect(server.content == content)
        #expect(server.requests.allSatisfy { $0.headers["X-Client"] == "c" })
    }

    @Test func aClientsAttemptsAreNotMultiplied() async throws {
        let network = MemoryTransport(routes: [
            .post("/files", answer: .status(201, headers: ["Location": "/files/1"])),
            .any("/files/1", answer: .reply { _ in throw URLError(.cannotConnectToHost) }),
        ])
        var client = HTTPClient(base: URL(string: "https://a.example"), over: network)
        client.retry = .init(attempts: 3, backoff: .constant(.zero))
        let saving = client.futures.upload(file, to: "/files", by: .tus)
        await #expect(throws: URLError.self) { try await saving.soon }
        #expect(network.calls.map(\.request?.method) == [.post, .patch, .head, .head])
    }

    @Test func aServerThatAsksForTooLongAWaitEndsTheUpload() async throws {
        let calls = Locked(0)
        let rules = Resumption(
            Retry(attempts: 5, backoff: .constant(.zero), maxServerDelay: .seconds(10)))
        let saving = upload(
            file, with: request,
            over: { _ in
                calls.withLock { $0 += 1 }
                return Future(value: HTTPResponse(status: 503, headers: ["Retry-After": "11"]))
            }, by: .tus, resuming: rules)
        let error = await #expect(throws: HTTPError.self) { try await saving.soon }
        #expect(error?.status == 503 && calls.withLock { $0 } == 1)
    }

    @Test(arguments: [(5, 1), (6, 2), (12, 3)])
    func noWaitLastsUntilTheCallersDeadline(seconds: Int, requests: Int) async {
        let scheduler = ManualScheduler()
        let calls = Locked(0)
        let context = CallContext(
            deadline: CallDeadline(after: .seconds(seconds), on: scheduler))
        let saving = context.run {
            upload(
                file, with: request,
                over: { _ in
                    calls.withLock { $0 += 1 }
                    return Future(value: HTTPResponse(status: 503))
                }, by: .tus,
                resuming: Resumption(Retry(attempts: 9, backoff: .constant(.seconds(5)))),
                on: scheduler)
        }
        scheduler.advance(by: .seconds(5 * (requests - 1)))
        let error = await #expect(throws: HTTPError.self) { try await saving.soon }
        #expect(error?.status == 503 && calls.withLock { $0 } == requests)
    }

    @Test func cancellingAnUploadEndsItsRequest() async throws {
        let cancelled = Locked(false)
        let answer = Promise<HTTPResponse>()
        answer.onCancel { cancelled.withLock { $0 = true } }
        let saving = upload(file, with: request, over: { _ in answer }, by: .tus)
        saving.cancel()
        #expect(cancelled.withLock { $0 })
    }

    @Test("random losses, conflicts and forgotten uploads end in a whole file", arguments: 0..<20)
    func randomLossesEndInAWholeFile(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let proto = Self.protocols[seed % Self.protocols.count]
        let server = UploadServer(proto)
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: server.refuse([[409, 423, 503, 404].randomElement(using: &random) ?? 409])
            case 1: server.forget()
            default: server.lose(after: [Int.random(in: 0...22_000, using: &random)])
            }
            let size = Int64.random(in: 2_000...30_000, using: &random)
            let saving = send(
                to: server, by: proto, record: record, partSize: size,
                attempts: .random(in: 1...3, using: &random))
            guard (try? await saving.value) != nil else { continue }
            #expect(server.content == content && server.isComplete && server.problems.isEmpty)
            return
        }
        Issue.record("the upload never ended")
    }
}

/// A server of one upload, by tus or by the IETF's draft.
final class UploadServer: Sendable {
    private struct State {
        var requests: [HTTPRequest] = []
        var content = Data()
        var length = -1
        var exists = false
        var isComplete = false
        var losses: [Int] = []
        var uploads = 0
        var refusals: [Int] = []
        /// The answers to all HEAD and PATCH requests of the first upload.
        var failing: [String: Int] = [:]
        var silences: [Int] = []
        var limit: Int?
        var claim: String?
        var problems: [String] = []
        var down = false
    }

    private let proto: ResumableUploadProtocol
    private let location: String
    private let state = Locked(State())

    init(_ proto: ResumableUploadProtocol, at location: String = "/up/1") {
        self.proto = proto
        self.location = location
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var methods: [String] { requests.map { "\($0.method)" } }
    var content: Data { state.withLock { $0.content } }
    var isComplete: Bool { state.withLock { $0.isComplete } }
    /// What a client must not do.
    var problems: [String] { state.withLock { $0.problems } }

    /// Loses the connections of the next PATCH requests after so many bytes.
    func lose(after bytes: [Int]) { state.withLock { $0.losses += bytes } }
    /// Refuses the next PATCH requests.
    func refuse(_ statuses: [Int]) { state.withLock { $0.refusals += statuses } }
    /// Refuses the next HEAD requests.
    func refuseToSay(_ statuses: [Int]) { state.withLock { $0.silences += statuses } }
    /// Refuses all requests of a method to the first upload, which reads their bodies.
    func fail(_ method: String, with status: Int) { state.withLock { $0.failing[method] = status } }
    func limit(to size: Int) { state.withLock { $0.limit = size } }
    /// Refuses to make an upload.
    func takeNone(_ isDown: Bool) { state.withLock { $0.down = isDown } }
    func end() { state.withLock { $0.isComplete = true } }
    func fill(_ bytes: Data) { state.withLock { $0.content = Data(bytes) } }
    func claim(_ offset: String) { state.withLock { $0.claim = offset } }
    func forget() {
        state.withLock { ($0.exists, $0.content, $0.isComplete) = (false, Data(), false) }
    }

    func answer(_ request: HTTPRequest) -> Future<HTTPResponse> {
        Future(value: request).flatMap { try $0.body.open().collected(upTo: 1 << 20) }
            .flatMap { body in
                try self.state.withLock { state in
                    Future(value: try self.answer(request, body, &state))
                }
            }
    }

    private func answer(
        _ request: HTTPRequest, _ body: Data, _ state: inout State
    ) throws -> HTTPResponse {
        state.requests.append(request)
        let isTus = proto.draft == nil
        let version =
            isTus
            ? request.headers["Tus-Resumable"] == "1.0.0"
            : request.headers["Upload-Draft-Interop-Version"] == "\(proto.draft ?? 0)"
        guard version else { return HTTPResponse(status: 412) }
        let mark = proto.draft == 3 ? "Upload-Incomplete" : "Upload-Complete"
        let isEnd = request.headers[mark] == (proto.draft == 3 ? "?0" : "?1")
        var headers: HTTPHeaders = [:]
        if let limit = state.limit {
            headers.set("max-size=9, max-append-size=\(limit)", for: "Upload-Limit")
        }
        func said(_ isComplete: Bool) -> String { isComplete != (proto.draft == 3) ? "?1" : "?0" }
        if state.uploads <= 1, let status = state.failing["\(request.method)"] {
            return HTTPResponse(status: status)
        }
        switch "\(request.method)" {
        case "POST":
            if state.down { return HTTPResponse(status: 503) }
            state.uploads += 1
            state.length = Int(request.headers["Upload-Length"] ?? "") ?? -1
            (state.content, state.exists) = (Data(), true)
            state.isComplete = isTus ? state.length == 0 : isEnd
            if !body.isEmpty || request.headers["Content-Type"] != "video/mp4" {
                state.problems.append("a POST with a body, or without its type")
            }
            headers.set(location, for: "Location")
            return HTTPResponse(status: 201, headers: headers, url: request.url)
        case "OPTIONS": return HTTPResponse(status: 405)
        case "HEAD":
            if !state.silences.isEmpty {
                return HTTPResponse(status: state.silences.removeFirst())
            }
            guard state.exists else { return HTTPResponse(status: 404) }
            headers.set(state.claim ?? "\(state.content.count)", for: "Upload-Offset")
            if !isTus { headers.set(said(state.isComplete), for: mark) }
            return HTTPResponse(status: 204, headers: headers)
        case "PATCH":
            if !state.refusals.isEmpty {
                return HTTPResponse(status: state.refusals.removeFirst())
            }
            guard state.exists else { return HTTPResponse(status: 404) }
            guard request.headers["Upload-Offset"] == "\(state.content.count)" else {
                return HTTPResponse(status: 409)
            }
            if request.body.contentType
                != (isTus ? "application/offset+octet-stream" : "application/partial-upload")
            {
                state.problems.append("a PATCH with the wrong type")
            }
            if body.count > state.limit ?? .max { state.problems.append("a PATCH too large") }
            let loss = state.losses.isEmpty ? nil : state.losses.removeFirst()
            state.content += body.prefix(loss ?? .max)
            let isWhole = loss ?? .max >= body.count
            state.isComplete =
                isTus ? state.content.count == state.length : isEnd && isWhole
            if loss != nil { throw HTTPError(code: .connectionLost) }
            if isTus { headers.set("\(state.content.count)", for: "Upload-Offset") }
            if !isTus, !state.isComplete { headers.set(said(false), for: mark) }
            return HTTPResponse(status: isTus ? 204 : 201, headers: headers)
        default:
            state.problems.append("\(request.method)")
            return HTTPResponse(status: 405)
        }
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies
@testable import PledgeStorage

/// What an upload believes of a server's answers.
@Suite struct UploadAnswerTests {
    private let folder: TestFolder
    private let file: URL
    private let record: URL
    private let size = 300_000
    private let request: HTTPRequest

    init() throws {
        folder = try TestFolder()
        file = try folder.file("film.mp4", Data(repeating: 7, count: size))
        record = try folder.file("record")
        request = HTTPRequest(.post, try #require(URL(string: "https://a.example/files")))
    }

    /// Uploads to a service that answers a POST with a new resource, and other requests with a function.
    private func send(
        attempts: Int = 2, partSize: Int64? = nil,
        answering answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPHeaders
    ) async -> (result: Result<HTTPResponse, any Error>, methods: [String]) {
        let methods = Locked<[String]>([])
        let saving = upload(
            file, with: request,
            over: { request in
                methods.withLock { $0.append("\(request.method)") }
                if request.method == .post {
                    return Future(value: HTTPResponse(status: 201, headers: ["Location": "/1"]))
                }
                return Future { HTTPResponse(status: 204, headers: try await answer(request)) }
            }, by: .tus, record: record, partSize: partSize,
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))))
        return (await saving.resultSoon, methods.withLock { $0 })
    }

    /// Reads chunks of a body until there are so many bytes; returns how many there are.
    @discardableResult
    private func read(_ request: HTTPRequest, upTo count: Int = .max) async throws -> Int {
        let stream = try request.body.open()
        var read = 0
        while read < count, let chunk = try await stream.next().value { read += chunk.count }
        return read
    }

    private func code(_ result: Result<HTTPResponse, any Error>) -> HTTPError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (error as? HTTPError)?.code
    }

    @Test(arguments: [0, 1])
    func anOffsetBeyondTheBytesThatWereReadIsNotBelieved(excess: Int) async throws {
        let count = Locked(0)
        let end = await send { request in
            if request.method == .head {
                return ["Upload-Offset": "\(count.withLock { $0 } + excess)"]
            }
            guard request.headers["Upload-Offset"] == "0" else {
                try await read(request)
                return ["Upload-Offset": "\(size)"]
            }
            let sent = try await read(request, upTo: 100_000)
            count.withLock { $0 = sent }
            throw HTTPError(code: .connectionLost)
        }
        #expect(count.withLock { 100_000..<size ~= $0 })
        #expect(code(end.result) == (excess == 0 ? nil : .badResponse))
        #expect(end.methods == ["POST", "PATCH", "HEAD"] + (excess == 0 ? ["PATCH"] : []))
        #expect(folder.names == ["film.mp4"])
    }

    @Test(arguments: ["300000", ""])
    func anEarlyAnswerIsNotTheEndOfTheUpload(offset: String) async throws {
        let end = await send(attempts: 1) { request in
            try await read(request, upTo: 100_000)
            return offset.isEmpty ? [:] : ["Upload-Offset": offset]
        }
        #expect(code(end.result) == .badResponse && end.methods == ["POST", "PATCH"])
        #expect(folder.names == ["film.mp4"])
    }

    @Test(arguments: [0, 1])
    func bytesThatATransportHasOnlyReadAheadAreNotTheServers(excess: Int64) async throws {
        let end = await send { request in
            if request.method == .head { return ["Upload-Offset": "\(70_000 + excess)"] }
            try await read(request)
            guard request.headers["Upload-Offset"] == "0" else {
                request.context.noteSentBytes?(Int64(size - 70_000))
                return ["Upload-Offset": "\(size)"]
            }
            for count in [0, 50_000, 70_000, 20_000] as [Int64] {
                request.context.noteSentBytes?(count)
            }
            throw HTTPError(code: .connectionLost)
        }
        #expect(code(end.result) == (excess == 0 ? nil : .badResponse))
    }

    /// Ways to change a file without changing its size.
    enum Change: CaseIterable {
        case write, replace, remove

        func callAsFunction(_ file: URL, _ size: Int) throws {
            switch self {
            case .write:
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: Data([8]))
                try handle.close()
                // The system's clock may not have moved on since the file was made.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
            case .replace: try Data(repeating: 9, count: size).write(to: file, options: .atomic)
            case .remove: try FileManager.default.removeItem(at: file)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func aFileThatIsChangedBetweenTwoRequestsEndsTheUpload(change: Change) async throws {
        let end = await send(attempts: 5) { request in
            if request.method == .head { return ["Upload-Offset": "0"] }
            try await read(request)
            try change(file, size)
            throw HTTPError(code: .connectionLost)
        }
        #expect(code(end.result) == .bodyUnreadable && end.methods == ["POST", "PATCH"])
        #expect(!folder.names.contains("record"))
    }

    @Test(arguments: Change.allCases)
    func aFileThatWasChangedAtTheEndIsNotUploaded(change: Change) async throws {
        let end = await send { request in
            let count = try await read(request)
            try change(file, size)
            return ["Upload-Offset": "\(count)"]
        }
        #expect(code(end.result) == .bodyUnreadable && end.methods == ["POST", "PATCH"])
        guard case .failure(let error) = end.result else { return }
        #expect("\(error)".contains("the file was changed during the upload"))
    }

    @Test func onlyBytesAboveTheHighestOffsetCountAsProgress() async throws {
        let asked = Locked(0)
        let end = await send(attempts: 3) { request in
            guard request.method == .head else {
                try await read(request)
                throw HTTPError(code: .connectionLost)
            }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if count > 20 { throw CancellationError() }
            return ["Upload-Offset": count % 2 == 1 ? "5" : "0"]
        }
        #expect(code(end.result) == .connectionLost)
        // The first answer to HEAD has brought the upload further, the others have not.
        #expect(
            end.methods == ["POST", "PATCH"]
                + Array(repeating: ["HEAD", "PATCH"], count: 3).joined())
    }

    @Test func eachNewByteIsProgress() async throws {
        let offset = Locked(0)
        let end = await send(attempts: 2, partSize: 100_000) { request in
            if request.method == .head { return ["Upload-Offset": "\(offset.withLock { $0 })"] }
            let count = try await read(request)
            let all = offset.withLock { offset in
                offset += offset < 20 ? 1 : count
                return offset
            }
            if all <= 20 { throw HTTPError(code: .connectionLost) }
            return ["Upload-Offset": "\(all)"]
        }
        #expect(throws: Never.self) { try end.result.get() }
    }

    @Test(arguments: [
        "x", "", "+300000", "-1", "300000, 300000", "0x10", "3e5", "٣", "99999999999999999999",
    ])
    func anOffsetInTheAnswerToAPATCHThatCannotBeReadIsAnError(text: String) async throws {
        let end = await send { request in
            try await read(request)
            return ["Upload-Offset": text]
        }
        #expect(code(end.result) == .badResponse && end.methods == ["POST", "PATCH"])
    }
}

/// What an upload believes of a record.
@Suite struct UploadRecordTests {
    private let folder: TestFolder
    private let file: URL
    private let record: URL
    private let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let request: HTTPRequest

    init() throws {
        folder = try TestFolder()
        file = try folder.file("film.mp4", content)
        record = try folder.file("record")
        request = HTTPRequest(
            .post, try #require(URL(string: "https://a.example/files")),
            headers: ["X-API-Key": "s3cret", "Content-Type": "video/mp4"])
    }

    private func send(
        to server: UploadServer, by proto: ResumableUploadProtocol = .tus, attempts: Int = 1
    ) -> Future<HTTPResponse> {
        upload(
            file, with: request, over: server.answer, by: proto, record: record,
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))))
    }

    /// Begins an upload that is lost, and whose record stays.
    private func begin(
        at location: String = "/up/1", by proto: ResumableUploadProtocol = .tus
    ) async throws -> UploadServer {
        let server = UploadServer(proto, at: location)
        server.lose(after: [7_000])
        let first = send(to: server, by: proto)
        await #expect(throws: HTTPError.self) { try await first.value }
        #expect(folder.names == ["film.mp4", "record"])
        return server
    }

    /// Puts another address into the record.
    private func plant(_ address: String) throws {
        var lines = try #require(SealedLines.decoded([UInt8](Data(contentsOf: record))))
        lines[lines.count - 1] = address
        let bytes = Data(SealedLines.encoded(lines))
        let handle = try FileHandle(forWritingTo: record)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Expects that the next call begins anew, and succeeds.
    private func expectNewUpload(
        at server: UploadServer, by proto: ResumableUploadProtocol = .tus, asking: Bool = true
    ) async throws {
        let before = server.methods.count
        _ = try await send(to: server, by: proto).value
        #expect(server.content == content && server.isComplete)
        #expect(server.methods.dropFirst(before) == (asking ? ["HEAD"] : []) + ["POST", "PATCH"])
        #expect(folder.names == ["film.mp4"])
    }

    @Test(arguments: ["", "x", "-1", "20001", "999999999", "99999999999999999999"])
    func aRecordWhoseResourceGivesNoUsableOffsetDoesNotMakeTheCallFail(text: String) async throws {
        for proto in ResumableUploadTests.protocols {
            let server = try await begin(by: proto)
            server.claim(text)
            try await expectNewUpload(at: server, by: proto)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 405, 410, 412, 501])
    func aRecordWhoseResourceCannotBeAskedDoesNotMakeTheCallFail(status: Int) async throws {
        let server = try await begin()
        server.refuseToSay([status])
        try await expectNewUpload(at: server)
    }

    @Test("the record stays while the server is down, or takes no new upload")
    func theRecordStaysWhileTheServerIsDown() async throws {
        let server = try await begin()
        server.refuseToSay([503])
        server.takeNone(true)
        let down = send(to: server)
        await #expect(throws: HTTPError.self) { try await down.value }
        let refusing = upload(
            file, with: request, over: { _ in Future(value: HTTPResponse(status: 401)) },
            by: .tus, record: record)
        let error = await #expect(throws: HTTPError.self) { try await refusing.value }
        #expect(error?.status == 401)
        _ = try await send(to: server).value
        #expect(server.content == content)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "HEAD", "PATCH"])
    }

    @Test(
        "a recorded upload that never goes on begins anew, once the attempts are used up",
        arguments: [
            ("PATCH", 409, ["HEAD", "PATCH", "HEAD", "PATCH"]),
            ("PATCH", 500, ["HEAD", "PATCH", "HEAD", "PATCH"]),
            ("HEAD", 500, ["HEAD", "HEAD"]),
        ])
    func aRecordedUploadThatNeverGoesOnBeginsAnew(method: String, status: Int, before: [String])
        async throws
    {
        for proto in ResumableUploadTests.protocols {
            let server = try await begin(by: proto)
            server.fail(method, with: status)
            _ = try await send(to: server, by: proto, attempts: 2).value
            #expect(server.content == content && server.isComplete && server.problems.isEmpty)
            #expect(server.methods == ["POST", "PATCH"] + before + ["POST", "PATCH"])
            #expect(folder.names == ["film.mp4"])
        }
    }

    @Test func aRecordedUploadWhoseHostIsGoneBeginsAnew() async throws {
        let server = try await begin(at: "https://gone.example/up/1")
        let saving = upload(
            file, with: request,
            over: { request in
                request.url.host() == "gone.example"
                    && server.methods.count { $0 == "POST" } == 1
                    ? Future(error: HTTPError(code: .cannotFindHost, request: request))
                    : server.answer(request)
            }, by: .tus, record: record,
            resuming: Resumption(Retry(attempts: 2, backoff: .constant(.zero))))
        _ = try await saving.value
        #expect(server.content == content && folder.names == ["film.mp4"])
        #expect(server.methods.suffix(2) == ["POST", "PATCH"])
    }

    @Test func anUploadBeginsAnewOnceInACall() async throws {
        // The new upload fails in the same way.
        let server = try await begin()
        server.refuse([500, 500, 500, 500, 500])
        let saving = send(to: server, attempts: 2)
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.status == 500 && folder.names == ["film.mp4", "record"])
        #expect(
            server.methods.dropFirst(2) == [
                "HEAD", "PATCH", "HEAD", "PATCH", "POST", "PATCH", "HEAD", "PATCH",
            ])
    }

    @Test func aRecordedUploadThatHasTakenBytesInTheCallIsNotGivenUp() async throws {
        let moving = try await begin()
        moving.lose(after: [3_000, 0, 0])
        let lost = send(to: moving, attempts: 2)
        await #expect(throws: HTTPError.self) { try await lost.value }
        #expect(
            moving.methods == ["POST", "PATCH"]
                + Array(repeating: ["HEAD", "PATCH"], count: 3).joined())
        _ = try await send(to: moving).value
        #expect(moving.content == content && moving.methods.suffix(2) == ["HEAD", "PATCH"])
    }

    @Test("a server that is down is asked for a new upload once, and the record stays")
    func aServerThatIsDownIsAskedForANewUploadOnce() async throws {
        let server = try await begin()
        server.refuseToSay([500, 500])
        server.takeNone(true)
        let down = send(to: server, attempts: 2)
        await #expect(throws: HTTPError.self) { try await down.value }
        #expect(server.methods.dropFirst(2) == ["HEAD", "HEAD", "POST"])
        server.takeNone(false)
        _ = try await send(to: server).value
        #expect(server.content == content && server.methods.suffix(2) == ["HEAD", "PATCH"])
    }

    @Test(arguments: [7_000, 7_001, 10_000, 20_000])
    func aLaterRunBelievesNoOffsetBeyondWhatEarlierRunsHaveSent(offset: Int) async throws {
        let server = UploadServer(.tus)
        let first = upload(
            file, with: request,
            over: { request in
                guard request.method == .patch else { return server.answer(request) }
                // The server answers early; the system has taken this much of the body.
                request.context.noteSentBytes?(7_000)
                return Future { try await request.body.open().collected(upTo: 1 << 20).value }
                    .flatMap { _ in Future(value: HTTPResponse(status: 500)) }
            }, by: .tus, record: record, resuming: Resumption(Retry(attempts: 1)))
        await #expect(throws: HTTPError.self) { try await first.value }
        #expect(folder.names == ["film.mp4", "record"])
        server.fill(content.prefix(offset))
        _ = try await send(to: server).value
        #expect(server.content == content && folder.names == ["film.mp4"])
        #expect(server.methods == ["POST", "HEAD"] + (offset > 7_000 ? ["POST"] : []) + ["PATCH"])
    }

    @Test(arguments: [(12_000, true), (14_000, true), (14_001, false), (20_000, false)])
    func afterAKilledRunAServerMayHaveAllBytesOfTheBodyThatWasBeingSent(
        offset: Int, isBelieved: Bool
    ) async throws {
        let kept = Locked<Data?>(nil)
        let server = UploadServer(.tus)
        _ = try? await upload(
            file, with: request,
            over: { [record] request in
                // The file as a process leaves it that is killed during the second body.
                if request.headers["Upload-Offset"] == "7000" {
                    kept.withLock { $0 = try? Data(contentsOf: record) }
                    return Future(error: CancellationError())
                }
                return server.answer(request)
            }, by: .tus, record: record, partSize: 7_000
        ).value
        try FileManager.default.removeItem(at: record)
        try #require(kept.withLock { $0 }).write(to: record)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: record.path)
        server.fill(content.prefix(offset))
        _ = try await send(to: server).value
        #expect(server.content == content && folder.names == ["film.mp4"])
        #expect(
            server.methods.dropFirst(2)
                == (isBelieved ? ["HEAD", "PATCH"] : ["HEAD", "POST", "PATCH"]))
    }

    @Test func inALaterRunTheServerMayHaveAllBytesOfTheFile() async throws {
        let server = UploadServer(.tus)
        server.lose(after: [20_000])
        let first = send(to: server)
        await #expect(throws: HTTPError.self) { try await first.value }
        _ = try await send(to: server).value
        #expect(server.methods == ["POST", "PATCH", "HEAD"] && folder.names == ["film.mp4"])
    }

    @Test(arguments: [
        "http://a.example/up/1", "http://evil.example/", "mailto:a@b", "file:///etc/passwd",
        "/up/1", "",
    ])
    func aRecordsAddressObeysTheRulesOfRedirects(address: String) async throws {
        let server = try await begin()
        try plant(address)
        try await expectNewUpload(at: server, asking: false)
        #expect(server.requests.allSatisfy { $0.url.host() == "a.example" })
        #expect(server.requests.allSatisfy { $0.url.scheme == "https" })
    }

    @Test("another origin gets no secret header, and no byte if the client's redirects say so")
    func anotherOriginGetsNoSecretHeader() async throws {
        for redirects in [
            nil, .init(), .init(sendsBodiesAcrossOrigins: false),
            .init(refusesPrivateAddresses: true),
        ] as [Redirects?] {
            let server = UploadServer(.tus)
            var client = HTTPClient(base: URL(string: "https://a.example"), over: server.answer)
            client.headers = ["X-API-Key": "s3cret"]
            client.retry = nil
            client.redirects = redirects
            server.lose(after: [7_000])
            let headers: HTTPHeaders = ["Content-Type": "video/mp4"]
            let first = client.futures.upload(
                file, to: "/files", headers: headers, by: .tus, record: record)
            await #expect(throws: HTTPError.self) { try await first.value }
            try plant("https://127.0.0.1/up/1")
            _ = try await client.upload(
                file, to: "/files", headers: headers, by: .tus, record: record
            )
            let away = server.requests.filter { $0.url.host() != "a.example" }
            #expect(away.allSatisfy { $0.headers["X-API-Key"] == nil })
            let mayLeave = redirects == nil || redirects == .init()
            #expect(away.contains { $0.method == .patch } == mayLeave)
            #expect(server.content == content)
        }
    }

    @Test func aRecordThatSomebodyElseHasMadeOrCanChangeIsAsIfAbsent() async throws {
        let other = folder.url.appendingPathComponent("other")
        let files = FileManager.default
        for make in [
            { chmod(record.path, 0o666) },
            { link(record.path, other.path) },
            { rename(record.path, other.path) + symlink(other.path, record.path) },
            { geteuid() == 0 ? chown(record.path, 65_534, 65_534) : chmod(record.path, 0o622) },
            { truncate(record.path, 2 << 20) },
        ] as [() -> Int32] {
            let server = try await begin()
            #expect(make() == 0)
            let before = server.methods.count
            _ = try await send(to: server).value
            #expect(server.methods.dropFirst(before) == ["POST", "PATCH"])
            #expect(server.content == content)
            try? files.removeItem(at: other)
            #expect(folder.names == ["film.mp4"])
        }
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeInMemoryTransport
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

#if canImport(Glibc)
import Glibc
#endif

@Suite(.oneAtATime) struct ResumableDownloadTests {
    private let folder: TestFolder
    private let target: URL
    private let request: HTTPRequest
    private let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let server: RangeServer

    init() throws {
        folder = try TestFolder()
        target = try folder.file("film.mp4")
        request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film?key=s3cret")))
        server = RangeServer(content)
    }

    private func load(
        attempts: Int = 1, parts: Int = 1, sha256: String? = nil, limit: Int64 = .max,
        progress: (@Sendable (Int64, Int64?) -> Void)? = nil
    ) -> Future<HTTPDownload> {
        download(
            request, to: target, over: server.answer, limit: limit, sha256: sha256,
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))),
            parts: parts,
            progress: progress)
    }

    /// Loads a body that comes as a test gives it.
    private func load(from source: ScriptedSource) -> Future<HTTPDownload> {
        download(
            request, to: target,
            over: { _ in
                Future(value: HTTPStreamedResponse(status: 200, body: source.stream()))
            }, resuming: Resumption())
    }

    private func part() throws -> Data {
        try Data(contentsOf: folder.url.appendingPathComponent(".pledge-film.mp4.part"))
    }

    /// Loads until the connection is lost.
    private func loseFirst(after bytes: Int, parts: Int = 1) async throws {
        server.lose(after: [bytes])
        await #expect(throws: HTTPError.self) { try await load(parts: parts).value }
    }

    /// Loads after calls that were cancelled, which give the unfinished file back on its own queue.
    ///
    /// So time passes on the scheduler only while none of them has the file.
    private func loadAfterCancelled(on scheduler: ManualScheduler) async throws -> HTTPDownload {
        let part = folder.url.appendingPathComponent(".pledge-film.mp4.part")
        func isFree() -> Bool {
            guard let file = try? FileHandle(forUpdating: part) else { return true }
            return flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0
        }
        let next = download(
            request, to: target, over: server.answer, resuming: Resumption(), on: scheduler)
        #expect(
            await comesTrue {
                if isFree() { scheduler.advance(by: .milliseconds(50)) }
                return next.result != nil
            })
        return try await next.value
    }

    @Test(arguments: 0..<20)
    func anAnswerThatDoesNotFitMayComeWhileOtherPartsAreWritten(seed: Int) async throws {
        let film = Data((0..<80).flatMap { [UInt8](repeating: $0, count: 1 << 16) })
        let server = RangeServer(film)
        server.send(inChunksOf: 1 << 18)
        let count = Locked(0)
        let saving = download(
            request, to: target,
            over: { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return Future.make { resolver in
                    Thread.detachNewThread {
                        // The last of the four parts.
                        if number == 5 {
                            for _ in 0..<seed * 20 { sched_yield() }
                            server.make([.otherTag])
                        }
                        server.answer(request).observe { resolver.settle(with: $0) }
                    }
                }
            }, resuming: Resumption(Retry(backoff: .constant(.zero))), parts: 4)
        _ = try await saving.soon
        #expect(try Data(contentsOf: target) == film)
    }

    @Test("a client's attempts aren't multiplied, and its classifier says what is temporary")
    func aClientsAttemptsAreNotMultiplied() async throws {
        let network = MemoryTransport(routes: [
            .get("/film", answer: .reply { _ in throw URLError(.cannotConnectToHost) })
        ])
        var client = HTTPClient(base: URL(string: "https://a.example"), over: network)
        client.retry = .init(attempts: 3, backoff: .constant(.zero))
        let unreachable = client.futures.download("/film", to: target)
        await #expect(throws: URLError.self) { try await unreachable.soon }
        #expect(network.calls.count == 3)
        // Without resuming, the client's own retry sends the request again.
        let once = client.futures.download("/film", to: target, resuming: false)
        await #expect(throws: URLError.self) { try await once.soon }
        #expect(network.calls.count == 6)
        let missing = MemoryTransport(routes: [
            .get("/film", answer: .sequence([.status(404), .text("film")]))
        ])
        var waiting = HTTPClient(base: client.base, over: missing)
        waiting.retry = client.retry
        waiting.classifier = { end in
            (try? end.get())?.status == 404 ? .retryable : nil
        }
        _ = try await waiting.futures.download("/film", to: target).soon
        #expect(try Data(contentsOf: target) == Data("film".utf8))
    }

    @Test func aWaitThatWouldLastUntilTheCallersDeadlineIsNotBegun() async {
        let scheduler = ManualScheduler()
        server.lose(after: [3_000])
        let context = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler))
        let saving = context.run {
            download(
                request, to: target, over: server.answer,
                resuming: Resumption(Retry(attempts: 9, backoff: .constant(.seconds(5)))),
                on: scheduler)
        }
        let error = await #expect(throws: HTTPError.self) { try await saving.soon }
        #expect(error?.code == .connectionLost && server.requests.count == 1)
        #expect(folder.names == [".pledge-film.mp4.part", ".pledge-film.mp4.resume"])
    }

    @Test func aLaterCallGoesOnBehindTheBytesThatAreThereIfTheFileIsTheSame() async throws {
        try await loseFirst(after: 7_300)
        #expect(folder.names == [".pledge-film.mp4.part", ".pledge-film.mp4.resume"])
        #expect(try part() == content.prefix(7_300))
        let seen = Locked<[Int64]>([])
        let saved = try await load(progress: { count, _ in seen.withLock { $0.append(count) } })
            .value
        #expect(try Data(contentsOf: target) == content)
        #expect(saved.byteCount == 20_000 && saved.resumedFrom == 7_300)
        #expect(saved.response.status == 206)
        #expect(seen.withLock { $0.first == 8_300 && $0.last == 20_000 })
        #expect(folder.names == ["film.mp4"])
        let headers = try #require(server.requests.last).headers
        #expect(headers["Range"] == "bytes=7300-" && headers["If-Range"] == "\"1\"")
        #expect(headers["Accept-Encoding"] == "identity")
        #expect(server.requests.first?.headers["If-Range"] == nil)
    }

    @Test("a lost connection is followed by a request for the rest, as often as bytes come")
    func aLostConnectionIsFollowedByARequestForTheRest() async throws {
        server.lose(after: [1_000, 5_000, 0, 2_000])
        let saved = try await load(attempts: 3).value
        #expect(try Data(contentsOf: target) == content)
        #expect(saved.resumedFrom == 0)
        #expect(
            server.ranges == [nil, "bytes=1000-", "bytes=6000-", "bytes=6000-", "bytes=8000-"])
        server.lose(after: [1_000, 0, 0])
        await #expect(throws: HTTPError.self) { try await load(attempts: 3).value }
        #expect(server.ranges.count == 8)
    }

    @Test func aFileThatHasChangedIsLoadedAnew() async throws {
        try await loseFirst(after: 9_000)
        let other = Data(content.reversed())
        server.change(other, headers: ["ETag": "\"2\""])
        let saved = try await load().value
        #expect(try Data(contentsOf: target) == other)
        #expect(saved.resumedFrom == 0 && saved.response.status == 200)
    }

    @Test(arguments: RangeServer.Mistake.allCases)
    func a206ThatDoesNotFitIsNeverAppended(mistake: RangeServer.Mistake) async throws {
        try await loseFirst(after: 9_000)
        server.make([mistake])
        _ = try await load(attempts: 2).value
        #expect(try Data(contentsOf: target) == content)
        #expect(folder.names == ["film.mp4"])
    }

    @Test func aServerThatMakesTheSameMistakeEachTimeFailsTheDownload() async throws {
        server.lose(after: [1_000, 1_000, 1_000, 1_000, 1_000])
        server.make([.noRange, .noRange, .noRange, .noRange])
        let error = await #expect(throws: HTTPError.self) { try await load(attempts: 2).value }
        #expect(error?.code == .badResponse && "\(error!)".contains("Content-Range"))
        #expect(error?.request?.url == request.url && error?.status == 206)
        #expect(folder.names == [])
    }

    @Test func aPartThatWasNotAskedForIsRefused() async throws {
        let saving = download(
            request, to: target,
            over: { _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: 206, headers: ["Content-Range": "bytes 0-1/2"],
                        body: HTTPBodyStream(Data("ab".utf8))))
            }, resuming: Resumption())
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.code == .badResponse && error?.status == 206)
        #expect(folder.names.isEmpty)
    }

    @Test(
        arguments: [
            [:], ["ETag": "W/\"1\""], ["ETag": "1"], ["ETag": "\"1\"", "Accept-Ranges": "none"],
            [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:50:36 GMT",
            ], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [HTTPHeaders])
    func withoutAStrongValidatorTheFileIsLoadedAnew(headers: HTTPHeaders) async throws {
        server.change(content, headers: headers)
        try await loseFirst(after: 9_000)
        #expect(folder.names.isEmpty)
        server.lose(after: [3_000])
        _ = try await load(attempts: 2).value
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == [nil, nil, nil])
    }

    @Test func aLastModifiedThatIsAMinuteOldIsAStrongValidator() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        server.change(
            content, headers: ["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"])
        try await loseFirst(after: 9_000)
        let saved = try await load().value
        #expect(try Data(contentsOf: target) == content)
        #expect(saved.resumedFrom == 9_000)
        #expect(server.requests.last?.headers["If-Range"] == date)
    }

    @Test func ifOnlyTheLastStepIsMissingTheServerConfirmsTheFileByItsLastByte() async throws {
        try await loseFirst(after: 20_000)
        #expect(try part() == content)
        let saved = try await load().value
        #expect(saved.resumedFrom == 19_999)
        #expect(server.ranges == [nil, "bytes=19999-"])
        #expect(try Data(contentsOf: target) == content)
    }

    @Test(arguments: [true, false])
    func a416ThatNamesTheSizeOfWhatIsThereEndsAFileOfUnknownSize(grows: Bool) async throws {
        server.sendNoLength()
        try await loseFirst(after: 20_000)
        if grows { server.change(content + Data("more".utf8), headers: ["ETag": "\"2\""]) }
        let saved = try await load().value
        #expect(try Data(contentsOf: target) == server.content)
        #expect(saved.resumedFrom == (grows ? 0 : 20_000))
    }

    @Test func a416ThatTheClientRejectsMeansTheSameAsOneInAnAnswer() async throws {
        server.sendNoLength()
        var client = HTTPClient(base: URL(string: "https://a.example"), over: Streaming(server))
        client.retry = .init(attempts: 1)
        server.lose(after: [20_000])
        let first = client.futures.download("/film", to: target)
        await #expect(throws: HTTPError.self) { try await first.value }
        let saved = try await client.download("/film", to: target)
        #expect(saved.resumedFrom == 20_000)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test(arguments: [1, 4])
    func aClientThatAcceptsNo206TakesThePartsThatTheDownloadAsksFor(parts: Int) async throws {
        var client = HTTPClient(base: URL(string: "https://a.example"), over: Streaming(server))
        client.acceptedStatuses = 200...200
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        server.lose(after: [9_000])
        _ = try await client.futures.download("/film", to: target, parts: parts).soon
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == [parts == 1 ? nil : "bytes=0-1048575", "bytes=9000-"])
        // A part that somebody else asks for is refused as before.
        let own = client.futures.download("/film", to: target, headers: ["Range": "bytes=5-9"])
        let error = await #expect(throws: HTTPError.self) { try await own.soon }
        #expect(error?.code == .unacceptableStatus && error?.status == 206)
    }

    @Test func aRejected416ThatNamesAFileBeyondTheLimitIsAnErrorWithItsRequest() async throws {
        server.sendNoLength()
        let client = HTTPClient(base: URL(string: "https://a.example"), over: Streaming(server))
        try await loseFirst(after: 20_000)
        let saving = download(
            request, to: target, over: client.futures.stream, limit: 19_999, resuming: Resumption())
        let error = await #expect(throws: HTTPError.self) { try await saving.soon }
        #expect(error?.code == .bodyTooLarge && error?.status == 416 && error?.request != nil)
    }

    @Test(arguments: [1, 4])
    func a416ToTheRequestForTheWholeFileIsARefusedStatus(parts: Int) async throws {
        let refusal = HTTPResponse(status: 416, body: Data("no".utf8))
        let network = MemoryTransport(routes: [.get("/film", answer: .response(refusal))])
        let client = HTTPClient(base: URL(string: "https://a.example"), over: network)
        for service in [client.futures.stream, network.stream] {
            let saving = download(
                request, to: target, over: service, resuming: Resumption(), parts: parts)
            let error = await #expect(throws: HTTPError.self) { try await saving.soon }
            #expect(error?.code == .unacceptableStatus && error?.status == 416)
            #expect(error?.response?.body == refusal.body)
        }
        // With parts, the first request has a Range.
        #expect(network.calls.count == (parts == 1 ? 2 : 4) && folder.names.isEmpty)
    }

    @Test("several parts are loaded at the same time, and again only where they were lost")
    func severalPartsAreLoadedAtTheSameTime() async throws {
        let large = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 4) })
        server.change(large, headers: ["ETag": "\"1\""])
        server.send(inChunksOf: 65_536)
        let saved = try await load(parts: 3).value
        #expect(try Data(contentsOf: target) == large)
        #expect(saved.byteCount == 6_000_000)
        #expect(
            server.ranges == [
                "bytes=0-1048575", "bytes=1048576-2699049", "bytes=2699050-4349523",
                "bytes=4349524-",
            ])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
        // One part is lost: the others' bytes are not loaded again.
        try FileManager.default.removeItem(at: target)
        server.lose(after: [.max, 100_000])
        await #expect(throws: HTTPError.self) { try await load(parts: 3).value }
        let before = server.requests.count
        let second = try await load(parts: 3).value
        #expect(try Data(contentsOf: target) == large)
        #expect(second.resumedFrom >= 1_048_576 + 100_000)
        #expect(server.ranges[before...].allSatisfy { $0 != nil && $0 != "bytes=0-1048575" })
    }

    @Test("a server that sends no parts, or no validator, is asked for one response")
    func aServerWithoutPartsIsAskedForOneResponse() async throws {
        server.make([.whole])
        _ = try await load(parts: 4).value
        #expect(try Data(contentsOf: target) == content)
        server.change(content, headers: [:])
        _ = try await load(attempts: 2, parts: 4).value
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == ["bytes=0-1048575", "bytes=0-1048575", nil])
    }

    @Test("a file with another SHA-256 doesn't appear, and isn't kept")
    func aFileWithAnotherSHA256DoesNotAppear() async throws {
        let right = SHA256.hash(Array(content)).hexadecimal
        _ = try await load(sha256: right.uppercased()).value
        #expect(try Data(contentsOf: target) == content)
        try Data("old".utf8).write(to: target)
        let wrong = String(repeating: "0", count: 64)
        for resuming in [Resumption(), nil] {
            let saving = download(
                request, to: target, over: server.answer, sha256: wrong, resuming: resuming)
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.code == .digestMismatch)
            #expect(error?.request?.url == request.url && error?.status == 200)
            #expect("\(error!)".contains(right))
            #expect(try Data(contentsOf: target) == Data("old".utf8))
            #expect(folder.names == ["film.mp4"])
        }
    }

    @Test func aFileBeyondTheLimitFailsAtOnceAndIsNotKept() async throws {
        let error = await #expect(throws: HTTPError.self) { try await load(limit: 19_999).value }
        #expect(error?.code == .bodyTooLarge && error?.request != nil)
        server.sendNoLength()
        let second = await #expect(throws: HTTPError.self) { try await load(limit: 19_999).value }
        #expect(second?.code == .bodyTooLarge)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        _ = try await load(limit: 20_000).value
        #expect(try Data(contentsOf: target) == content)
    }

    @Test func theRecordNamesNoURLAndOnlyTheUserCanReadIt() async throws {
        try await loseFirst(after: 9_000)
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        let text = String(decoding: try Data(contentsOf: record), as: UTF8.self)
        #expect(!text.contains("s3cret") && text.contains("\"1\""))
        let facts = try FileManager.default.attributesOfItem(atPath: record.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [0o444, 0o040])
    func aReadOnlyFileIsReplacedAndStaysReadOnly(permissions: Int) async throws {
        let manager = FileManager.default
        func mode(of file: URL) throws -> Int? {
            try manager.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }
        try Data("old".utf8).write(to: target)
        try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: target.path)
        try await loseFirst(after: 9_000)
        let part = folder.url.appendingPathComponent(".pledge-film.mp4.part")
        #expect(try mode(of: part) == 0o600)
        #expect(try mode(of: target) == permissions)
        #expect(try await load().value.resumedFrom == 9_000)
        #expect(try mode(of: target) == permissions)
        // Root reads it anyway.
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test func aRecordOfAnotherURLOrADamagedOneBeginsAnew() async throws {
        try await loseFirst(after: 9_000)
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        let bytes = try Data(contentsOf: record)
        for index in [0, 20, bytes.count - 1] {
            var damaged = bytes
            damaged[index] ^= 1
            try damaged.write(to: record)
            let saved = try await load().value
            #expect(saved.resumedFrom == 0)
            #expect(try Data(contentsOf: target) == content)
            try await loseFirst(after: 9_000)
        }
        let other = HTTPRequest(.get, try #require(URL(string: "https://a.example/other")))
        let saved = try await download(
            other, to: target, over: server.answer, resuming: Resumption()
        ).value
        #expect(saved.resumedFrom == 0)
        // A part that is shorter than its record says was cut off.
        try await loseFirst(after: 9_000)
        let part = try FileHandle(
            forUpdating: folder.url.appendingPathComponent(".pledge-film.mp4.part"))
        try part.truncate(atOffset: 8_999)
        #expect(try await load().value.resumedFrom == 0)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test func aPartThatHadNotBegunNeedsNoRoomInTheUnfinishedFile() async throws {
        try await loseFirst(after: 9_000)
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        var lines = try #require(SealedLines.decoded(Array(Data(contentsOf: record))))
        lines[lines.count - 1] = "9000 15000"
        lines.append("15000 20000")
        try Data(SealedLines.encoded(lines)).write(to: record)
        #expect(try await load(parts: 2).value.resumedFrom == 9_000)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test(
        "a record is never taken for one of other bytes, when a process is killed between",
        arguments: [1, 2])
    func aRecordIsNeverTakenForOneOfOtherBytes(parts: Int) async throws {
        try await loseFirst(after: 9_000)
        let source = ScriptedSource()
        let other = HTTPRequest(.get, try #require(URL(string: "https://a.example/other")))
        let range: HTTPHeaders = ["ETag": "\"1\"", "Content-Range": "bytes 0-1048575/9000000"]
        let saving = download(
            other, to: target,
            over: { _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: parts == 1 ? 200 : 206, headers: range, body: source.stream()))
            }, resuming: Resumption(), parts: parts)
        #expect(await comesTrue { source.asked == 1 })
        source.last?.resolve(with: Data(repeating: 0, count: 12_000))
        #expect(await comesTrue { source.asked == 2 })
        // The folder as it is now: after a kill, nothing more would happen to it.
        let copy = folder.url.appendingPathComponent("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        for name in folder.names where name != "copy" {
            try FileManager.default.copyItem(
                at: folder.url.appendingPathComponent(name), to: copy.appendingPathComponent(name))
        }
        let file = copy.appendingPathComponent("film.mp4")
        _ = try await download(
            request, to: file, over: server.answer, resuming: Resumption()
        ).value
        #expect(try Data(contentsOf: file) == content)
        saving.cancel()
    }

    @Test func aBodyThatEndsTooEarlyCountsAsLost() async throws {
        server.loseSilently()
        server.lose(after: [9_000, 0, 0])
        let error = await #expect(throws: HTTPError.self) { try await load(attempts: 3).value }
        #expect(error?.code == .connectionLost)
        #expect(server.ranges.count == 3)
        #expect(try await load().value.resumedFrom == 9_000)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test("the record is written a second after bytes came, even if no more come")
    func theRecordIsWrittenASecondAfterBytesCame() async throws {
        let source = ScriptedSource()
        let scheduler = ManualScheduler()
        let saving = download(
            request, to: target,
            over: { _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: 200, headers: ["ETag": "\"1\""], body: source.stream()))
            }, resuming: Resumption(), on: scheduler)
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        var bytes: Data? { try? Data(contentsOf: record) }
        for (round, size) in [(1, 500), (2, 700)] {
            #expect(await comesTrue { source.asked == round })
            source.last?.resolve(with: Data(count: size))
            #expect(await comesTrue { source.asked == round + 1 && !scheduler.isIdle })
            let before = bytes
            scheduler.advance(by: .milliseconds(999))
            #expect(bytes == before)
            scheduler.advance(by: .milliseconds(1))
            #expect(await comesTrue { bytes != before })
            let state = try #require(DownloadState(encoded: Array(bytes ?? Data())))
            #expect(state.received == (round == 1 ? 500 : 1_200))
        }
        saving.cancel()
    }

    @Test func cancellingAtAnyMomentKeepsWhatAnEarlierRunHasLoaded() async throws {
        let scheduler = ManualScheduler()
        try await loseFirst(after: 9_000)
        for round in 0..<40 {
            let saving = download(
                request, to: target, over: { _ in Promise<HTTPStreamedResponse>().map { $0 } },
                resuming: Resumption(), on: scheduler)
            for _ in 0..<round { await Task.yield() }
            saving.cancel()
            #expect(
                folder.names.starts(with: [".pledge-film.mp4.part", ".pledge-film.mp4.resume"]))
        }
        #expect(try await loadAfterCancelled(on: scheduler).resumedFrom == 9_000)
    }

    @Test func aDownloadThatEndsBeforeItsRecordIsReadLeavesNoEmptyFile() async throws {
        let part = try folder.file(".pledge-film.mp4.part", Data())
        load().cancel()
        #expect(await comesTrue { folder.names.isEmpty })
        // A link isn't read, and not removed either.
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        try FileManager.default.createSymbolicLink(at: record, withDestinationURL: target)
        let error = await #expect(throws: HTTPError.self) { try await load().soon }
        #expect(error?.code == .fileUnwritable && folder.names == [record.lastPathComponent])
        try FileManager.default.removeItem(at: record)
        // The empty file of another download stays.
        let source = ScriptedSource()
        let scheduler = ManualScheduler()
        let first = load(from: source)
        #expect(await comesTrue { source.asked == 1 })
        let second = download(
            request, to: target, over: server.answer, resuming: Resumption(), on: scheduler)
        #expect(await comesTrue { !scheduler.isIdle })
        second.cancel()
        #expect(try Data(contentsOf: part).isEmpty)
        source.give(nil)
        #expect(try await first.soon.byteCount == 0)
    }

    @Test func aCancelledDownloadIsContinuedByTheNextCall() async throws {
        let source = ScriptedSource()
        let scheduler = ManualScheduler()
        let saving = download(
            request, to: target,
            over: { [request] _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: 200, headers: ["ETag": "\"1\""],
                        body: source.stream(length: 20_000), url: request.url))
            }, resuming: Resumption(), on: scheduler)
        #expect(await comesTrue { source.asked == 1 })
        source.last?.resolve(with: content.prefix(4_000))
        #expect(await comesTrue { source.asked == 2 })
        saving.cancel()
        #expect(saving.failure is CancellationError)
        #expect(await comesTrue { source.cancelled == 1 })
        #expect(try await loadAfterCancelled(on: scheduler).resumedFrom == 4_000)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test(
        "a second download of a file waits for five seconds or until the deadline, and fails",
        arguments: [nil, 1])
    func aSecondDownloadOfAFileWaitsAndFails(deadline: Int?) async throws {
        let source = ScriptedSource()
        let scheduler = ManualScheduler()
        let first = load(from: source)
        #expect(await comesTrue { source.asked == 1 })
        let limit = deadline.map { CallDeadline(after: .seconds($0), on: scheduler) }
        let second = CallContext(deadline: limit).run {
            download(
                request, to: target, over: server.answer, resuming: Resumption(),
                on: scheduler)
        }
        var waited = Duration.zero
        #expect(
            await comesTrue {
                if second.result == nil, !scheduler.isIdle {
                    scheduler.advance(by: .milliseconds(50))
                    waited += .milliseconds(50)
                }
                return second.result != nil
            })
        #expect(waited == .milliseconds((deadline == nil ? 99 : 19) * 50))
        #expect(second.failureCode == .fileUnwritable)
        #expect(server.requests.isEmpty)
        source.give("abc")
        #expect(await comesTrue { source.asked == 2 })
        source.give(nil)
        #expect(try await first.value.byteCount == 3)
    }

    @Test func aRedirectToAnotherOriginKeepsTheRange() async throws {
        let server = server
        var client = HTTPClient(
            base: URL(string: "https://a.example"),
            over: Streaming(server, redirecting: "a.example", to: "https://cdn.example/film"))
        client.authorization = .bearer("t0ken")
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        server.lose(after: [7_000])
        _ = try await client.download("/film", to: target)
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == [nil, "bytes=7000-"])
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test("a POST, and a request with its own Range, are loaded without resuming")
    func aPOSTIsLoadedWithoutResuming() async throws {
        var own = request
        own.headers.set("bytes=5-9", for: "Range")
        var post = request
        post.method = .post
        for request in [own, post] {
            server.lose(after: [2])
            let saving = download(
                request, to: target, over: server.answer, resuming: Resumption())
            await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(folder.names.isEmpty)
        }
    }

    @Test(arguments: 0..<12)
    func randomLossesAndMistakesLeaveTheFileWholeOrAbsent(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var versions = [content]
        for _ in 0..<15 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let new = Data(
                    (0..<Int.random(in: 0...30_000, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    })
                versions.append(new)
                server.change(new, headers: ["ETag": "\"\(versions.count)\""])
            case 1:
                if let mistake = RangeServer.Mistake.allCases.randomElement(using: &random) {
                    server.make([mistake])
                }
            default: server.lose(after: [Int.random(in: 0...30_000, using: &random)])
            }
            let parts = Int.random(in: 1...3, using: &random)
            let result = load(attempts: Int.random(in: 1...3, using: &random), parts: parts)
            if (try? await result.value) != nil {
                #expect(try Data(contentsOf: target) == server.content)
                try FileManager.default.removeItem(at: target)
            }
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }
    }
}

// Exit tests capture values since Swift 6.3.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
extension ResumableDownloadTests {
    @Test(
        "after kill -9 at any moment, the file is whole or absent, and the record is true",
        .timeLimit(.minutes(10)))
    func afterKill9AtAnyMomentTheFileIsWholeOrAbsent() async throws {
        var random = SeededGenerator(seed: 5)
        let part = folder.url.appendingPathComponent(".pledge-film.mp4.part")
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        let film = largeFilm()
        var records = 0
        // In microseconds. Until the first record is found, it adapts to how long a download takes here.
        var latest: UInt32 = 150_000
        for _ in 0..<killCount() {
            let moment = UInt32.random(in: 0...latest, using: &random)
            let parts = Int.random(in: 1...3, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = target.path as String, moment = moment as UInt32, parts = parts as Int] in
                let server = RangeServer(largeFilm())
                server.send(inChunksOf: 65_536)
                Thread.detachNewThread {
                    usleep(moment)
                    kill(getpid(), SIGKILL)
                }
                let request = HTTPRequest(.get, try #require(URL(string: "https://a.example/")))
                _ = try await download(
                    request, to: URL(fileURLWithPath: path), over: server.answer,
                    resuming: Resumption(), parts: parts
                ).value
                kill(getpid(), SIGKILL)
            }
            if let whole = try? Data(contentsOf: target) {
                #expect(whole == film)
                try FileManager.default.removeItem(at: target)
                if records == 0 { latest = max(latest / 2, 10_000) }
            } else if records == 0 {
                latest = min(latest * 2, 20_000_000)
            }
            guard let bytes = try? Data(contentsOf: record) else { continue }
            let state = try #require(DownloadState(encoded: Array(bytes)))
            // The file is missing or empty if a run was killed before it removed the record of a file that is complete,
            // and the next run before it read this record.
            guard let there = try? Data(contentsOf: part), !there.isEmpty else { continue }
            records += 1
            var start = 0
            for piece in state.parts {
                // A state whose file is complete counts only its last byte as missing.
                let range = start..<Int(piece.next)
                start = Int(piece.end ?? 0)
                // A part that hasn't begun may lie beyond what the file has.
                if range.isEmpty { continue }
                try #require(range.upperBound <= there.count)
                #expect(there[range] == film[range])
            }
        }
        #expect(records > 0)
        let server = RangeServer(film)
        server.send(inChunksOf: 1 << 20)
        let url = try #require(URL(string: "https://a.example/"))
        _ = try await download(
            HTTPRequest(.get, url), to: target, over: server.answer, resuming: Resumption()
        ).value
        #expect(try Data(contentsOf: target) == film)
        #expect(folder.names == ["film.mp4"])
    }
}

/// 30 MB in which each part differs from the others.
private func largeFilm() -> Data {
    var film = Data()
    for number in 0..<500 {
        film.append(Data("\(number)".utf8))
        film.append(Data(repeating: UInt8(number % 251), count: 60_000))
    }
    return film
}
#endif

/// A transport over a range server.
private struct Streaming: HTTPTransport {
    let server: RangeServer
    /// The host whose requests are redirected, and where to.
    let redirect: (host: String, location: String)?

    init(_ server: RangeServer, redirecting host: String = "", to location: String = "") {
        self.server = server
        redirect = location.isEmpty ? nil : (host, location)
    }

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        server.answer(request).flatMap { $0.collected(upTo: .max) }
    }

    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        if let redirect, request.url.host() == redirect.host {
            return Future(
                value: HTTPStreamedResponse(
                    status: 302, headers: ["Location": redirect.location],
                    body: HTTPBodyStream(Data())))
        }
        return server.answer(request)
    }
}

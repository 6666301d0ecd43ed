import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct DownloadTests {
    let folder: TestFolder
    let target: URL
    let request: HTTPRequest
    let source = ScriptedSource()

    init() throws {
        folder = try TestFolder()
        target = try folder.file("target")
        request = HTTPRequest(.get, try #require(URL(string: "https://a.example/file")))
    }

    private func answering(
        _ status: Int = 200, _ body: @escaping @Sendable () -> HTTPBodyStream
    ) -> HTTPStreamingService {
        { _ in
            Future(
                value: HTTPStreamedResponse(status: status, headers: ["ETag": "1"], body: body()))
        }
    }

    /// Waits until the source has been asked for a chunk so many times.
    private func asked(_ count: Int) async {
        #expect(await comesTrue { source.asked >= count }, "it was not asked for")
    }

    @Test func aDownloadedFileTakesItsPlaceWhole() async throws {
        try Data("old".utf8).write(to: target)
        let saving = download(
            request, to: target, over: answering { [source] in source.stream(length: 4) })
        await asked(1)
        source.give("ab")
        await asked(2)
        // The file does not appear before the end.
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(folder.names.count == 2)
        #expect(folder.names[0].hasPrefix(".pledge-"))
        source.give("cd")
        await asked(3)
        source.give(nil)
        let saved = try await saving.value
        #expect(saved.file == target)
        #expect(saved.byteCount == 4)
        #expect(saved.response == HTTPResponse(status: 200, headers: ["ETag": "1"]))
        #expect(try Data(contentsOf: target) == Data("abcd".utf8))
        #expect(folder.names == ["target"])
    }

    @Test func aLargeBodyIsNotHeldInMemory() async throws {
        let chunk = Data(repeating: 3, count: 65_536)
        let written = Locked<Int64>(0)
        let rest = Locked(300)
        let saving = download(
            request, to: target,
            over: answering {
                HTTPBodyStream(next: {
                    Future(
                        value: rest.withLock { rest in
                            rest -= 1
                            return rest >= 0 ? chunk : nil
                        })
                })
            },
            progress: { completed, _ in written.withLock { $0 = completed } })
        #expect(try await saving.value.byteCount == 300 * 65_536)
        #expect(written.withLock { $0 } == 300 * 65_536)
        let size = try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int
        #expect(size == 300 * 65_536)
    }

    @Test func anEmptyBodyMakesAnEmptyFile() async throws {
        let saved = try await download(
            request, to: target, over: answering { HTTPBodyStream(Data()) }
        ).value
        #expect(saved.byteCount == 0)
        #expect(try Data(contentsOf: target).isEmpty)
    }

    @Test func aStatusThatIsNotAcceptedLeavesTheFile() async throws {
        try Data("old".utf8).write(to: target)
        let saving = download(
            request, to: target, over: answering(404) { HTTPBodyStream(Data("gone".utf8)) })
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == 404)
        #expect(error?.body == Data("gone".utf8))
        #expect(error?.request == request)
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(folder.names == ["target"])
    }

    @Test func aRefusedBodyThatIsTooLargeOrBrokenLeavesTheStatus() async throws {
        let bodies: [@Sendable () -> HTTPBodyStream] = [
            { HTTPBodyStream(Data(count: 2_000_000)) },
            { HTTPBodyStream(next: { Future(error: Broken()) }) },
        ]
        for (body, count) in zip(bodies, [1_048_576, 0]) {
            let saving = download(request, to: target, over: answering(500, body))
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.status == 500)
            #expect(error?.body.count == count)
            #expect(error?.cause != nil)
        }
        #expect(folder.names.isEmpty)
    }

    @Test func aRefusedBodyIsReadForASecond() throws {
        let scheduler = ManualScheduler()
        let saving = download(
            request, to: target, over: answering(503) { [source] in source.stream() },
            on: scheduler)
        source.give("busy, ")
        scheduler.advance(by: .milliseconds(999))
        #expect(saving.result == nil)
        scheduler.advance(by: .milliseconds(1))
        let error = try #require(saving.failure as? HTTPError)
        #expect(error.status == 503 && error.body == Data("busy, ".utf8))
        #expect((error.cause as? HTTPError)?.code == .timedOut)
        #expect(source.cancelled == 1)
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: [0o600, 0o640, 0o666, 0o444]) func aReplacedFileKeepsItsPermissions(
        permissions: Int
    ) async throws {
        let manager = FileManager.default
        try Data("old".utf8).write(to: target)
        try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: target.path)
        _ = try await download(
            request, to: target, over: answering { HTTPBodyStream(Data("new".utf8)) }
        ).value
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        let now = try manager.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int
        #expect(now == permissions)
    }

    @Test func aFailureOfTheBodyLeavesNothing() async throws {
        let saving = download(
            request, to: target, over: answering { [source] in source.stream() })
        await asked(1)
        source.give("ab")
        await asked(2)
        #expect(folder.names.count == 1)
        source.last?.reject(with: Broken())
        await #expect(throws: Broken.self) { try await saving.value }
        #expect(folder.names.isEmpty)
    }

    @Test func whatIsNotAsLongAsAnnouncedLeavesNothing() async throws {
        for length in [1, 3] as [Int64] {
            let saving = download(
                request, to: target,
                over: answering { HTTPBodyStream(texts: ["ab"], length: length) })
            let error = await #expect(throws: HTTPError.self) { try await saving.value }
            #expect(error?.code == .bodyLengthMismatch)
            #expect(error?.request == request)
            #expect(error?.status == 200)
            #expect(folder.names.isEmpty)
        }
    }

    @Test func theLimitOfADownloadHolds() async throws {
        let announced = download(
            request, to: target, over: answering { [source] in source.stream(length: 5) }, limit: 4)
        #expect(announced.failureCode == .bodyTooLarge)
        #expect(source.asked == 0)
        #expect(source.cancelled == 1)
        let unannounced = download(
            request, to: target, over: answering { HTTPBodyStream(texts: ["abc", "de", "f"]) },
            limit: 4)
        let error = await #expect(throws: HTTPError.self) { try await unannounced.value }
        #expect(error?.code == .bodyTooLarge)
        #expect(folder.names.isEmpty)
        let fitting = download(
            request, to: target, over: answering { HTTPBodyStream(texts: ["abc", "d"]) }, limit: 4)
        #expect(try await fitting.value.byteCount == 4)
    }

    @Test func aCancelledDownloadLeavesNothingAtOnce() async throws {
        let saving = download(
            request, to: target, over: answering { [source] in source.stream() })
        await asked(1)
        source.give("ab")
        await asked(2)
        saving.cancel()
        #expect(folder.names.isEmpty)
        // The thread that asked the source may not have recorded yet that it waits.
        #expect(await comesTrue { source.cancelled == 1 })
        #expect(saving.failure is CancellationError)
        // After the queue has finished, no descriptor is left open.
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    /// At whatever moment the cancellation comes: the file is complete or absent, and no other file is left.
    @Test func cancellingAtAnyMomentLeavesNoHalfFile() async throws {
        for round in 0..<60 {
            let saving = download(
                request, to: target, over: answering { HTTPBodyStream(texts: ["ab", "cd"]) })
            for _ in 0..<round { await Task.yield() }
            saving.cancel()
            let names = folder.names
            #expect(names.isEmpty || names == ["target"])
            if let data = try? Data(contentsOf: target) { #expect(data == Data("abcd".utf8)) }
            if saving.success != nil { #expect(names == ["target"]) }
            try? FileManager.default.removeItem(at: target)
        }
    }

    @Test func aFileThatCannotBeMadeFails() async throws {
        let nowhere = folder.url.appendingPathComponent("missing/file")
        let saving = download(
            request, to: nowhere, over: answering { [source] in source.stream() })
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.code == .fileUnwritable)
        #expect(error?.cause as? FileError == FileError(operation: "open", code: ENOENT))
        #expect(error?.request == request)
        #expect(source.cancelled == 1)
        // A folder cannot be replaced by a file.
        let whole = download(
            request, to: folder.url, over: answering { HTTPBodyStream(texts: ["a"]) })
        let second = await #expect(throws: HTTPError.self) { try await whole.value }
        #expect((second?.cause as? FileError)?.code == EISDIR)
        #expect(folder.names.isEmpty)
    }

    @Test func theOtherFileIsNeverOneThatIsThere() async throws {
        let random = { RandomSource(SeededGenerator(seed: 1)) }
        let name = ".pledge-\(String(random().next(), radix: 36)).part"
        _ = try folder.file(name, Data("mine".utf8))
        let saving = download(
            request, to: target, over: answering { HTTPBodyStream(texts: ["a"]) }, random: random())
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.cause as? FileError == FileError(operation: "open", code: EEXIST))
        #expect(folder.names == [name])
    }

    @Test func anErrorOfTheServiceArrivesUnchanged() async {
        let saving = download(request, to: target, over: { _ in Future(error: Broken()) })
        #expect(saving.failure is Broken)
        #expect(folder.names.isEmpty)
    }
}

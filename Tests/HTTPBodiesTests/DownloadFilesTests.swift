import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

#if canImport(Glibc)
import Glibc
#endif

/// The files of a download, and what somebody else may have put in their place.
@Suite(.oneAtATime) struct DownloadFilesTests {
    private let folder: TestFolder
    private let target: URL
    private let part: URL
    private let record: URL
    private let request: HTTPRequest
    private let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let server: RangeServer

    init() throws {
        folder = try TestFolder()
        target = try folder.file("film.mp4")
        part = try folder.file(".pledge-film.mp4.part")
        record = try folder.file(".pledge-film.mp4.resume")
        request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film")))
        server = RangeServer(content)
    }

    private func load(resuming: Bool = true) -> Future<HTTPDownload> {
        download(
            request, to: target, over: server.answer,
            resuming: resuming ? Resumption(Retry(attempts: 1)) : nil)
    }

    private func loseFirst() async throws {
        server.lose(after: [9_000])
        await #expect(throws: HTTPError.self) { try await load().value }
    }

    private func mode(_ file: URL) -> UInt32? { file.filePermissions }

    enum Planted: CaseIterable, Sendable {
        case link, secondName, pipe, writableByOthers, otherOwner
    }

    @Test(
        "An unfinished file that somebody else may have made is neither written nor renamed",
        arguments: Planted.allCases)
    func anUnfinishedFileOfSomebodyElseIsNotTouched(planted: Planted) async throws {
        let other = try folder.file("other", Data("other's".utf8))
        switch planted {
        case .link:
            try FileManager.default.createSymbolicLink(at: part, withDestinationURL: other)
        case .secondName: try FileManager.default.linkItem(at: other, to: part)
        case .pipe: #expect(mkfifo(part.path, 0o600) == 0)
        case .writableByOthers:
            try Data("other's".utf8).write(to: part)
            #expect(chmod(part.path, 0o666) == 0)
        case .otherOwner:
            // Only the system's user can give a file away.
            guard geteuid() == 0 else { return }
            try Data("other's".utf8).write(to: part)
            #expect(chown(part.path, 4_242, 4_242) == 0)
        }
        let error = await #expect(throws: HTTPError.self) { try await load().soon }
        #expect(error?.code == .fileUnwritable)
        #expect(String(describing: error).contains(".pledge-film.mp4.part"))
        #expect(String(describing: error).contains("remove it"))
        #expect(!folder.names.contains("film.mp4") && server.requests.isEmpty)
        #expect(try Data(contentsOf: other) == Data("other's".utf8))
        if planted != .pipe { #expect(try Data(contentsOf: part) == Data("other's".utf8)) }
    }

    @Test(
        "A record that somebody else may have made fails the download, and nothing is requested",
        arguments: Planted.allCases)
    func aRecordOfSomebodyElseFailsTheDownload(planted: Planted) async throws {
        try await loseFirst()
        let bytes = try Data(contentsOf: record)
        let before = server.requests.count
        switch planted {
        case .link:
            try FileManager.default.removeItem(at: record)
            let other = try folder.file("other", bytes)
            try FileManager.default.createSymbolicLink(at: record, withDestinationURL: other)
        case .secondName:
            let other = folder.url.appendingPathComponent("other")
            try FileManager.default.linkItem(at: record, to: other)
        case .pipe:
            try FileManager.default.removeItem(at: record)
            #expect(mkfifo(record.path, 0o600) == 0)
        case .writableByOthers: #expect(chmod(record.path, 0o666) == 0)
        case .otherOwner:
            guard geteuid() == 0 else { return }
            #expect(chown(record.path, 4_242, 4_242) == 0)
        }
        let error = await #expect(throws: HTTPError.self) { try await load().soon }
        #expect(error?.code == .fileUnwritable)
        #expect(String(describing: error).contains(".pledge-film.mp4.resume"))
        #expect(String(describing: error).contains("remove it, or use another folder"))
        #expect(server.requests.count == before)
    }

    @Test func aRecordThatIsTooLargeIsNoRecord() async throws {
        try await loseFirst()
        try (Data(contentsOf: record) + Data(count: 2_000_000)).write(to: record)
        #expect(chmod(record.path, 0o600) == 0)
        #expect(try await load().value.resumedFrom == 0)
        #expect(server.ranges == [nil, nil] && folder.names == ["film.mp4"])
    }

    @Test(arguments: [
        "\"a\r\"", "\"a\0\"", "\"a", "W/\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT\r", "",
    ])
    func aRecordWhoseValidatorNoRequestCanHoldIsNoRecord(validator: String) async throws {
        try await loseFirst()
        var lines = try #require(SealedLines.decoded(Array(Data(contentsOf: record))))
        #expect(lines[4] == "\"1\"")
        lines[4] = validator
        try Data(SealedLines.encoded(lines)).write(to: record)
        #expect(try await load().value.resumedFrom == 0)
        #expect(server.ranges == [nil, nil])
        #expect(try Data(contentsOf: target) == content)
    }

    @Test("Nobody else can read the unfinished file, even beside a file that all may read")
    func nobodyElseCanReadTheUnfinishedFile() async throws {
        try Data("old".utf8).write(to: target)
        #expect(chmod(target.path, 0o644) == 0)
        for resuming in [true, false] {
            let source = ScriptedSource()
            let saving = download(
                request, to: target,
                over: { _ in
                    Future(
                        value: HTTPStreamedResponse(
                            status: 200, headers: ["ETag": "\"1\""], body: source.stream()))
                }, resuming: resuming ? Resumption() : nil)
            #expect(await comesTrue { source.asked == 1 })
            source.give("new")
            #expect(await comesTrue { source.asked == 2 })
            let name = try #require(folder.names.first { $0.hasSuffix(".part") })
            #expect(mode(folder.url.appendingPathComponent(name)) == 0o600)
            source.give(nil)
            _ = try await saving.soon
            #expect(mode(target) == 0o644 && folder.names == ["film.mp4"])
        }
    }

    @Test(arguments: [true, false])
    func aFolderOrALinkToOneFailsBeforeARequestIsSent(resuming: Bool) async throws {
        let inside = folder.url.appendingPathComponent("inside")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: false)
        for isLink in [true, false] {
            if isLink {
                try FileManager.default.createSymbolicLink(at: target, withDestinationURL: inside)
            } else {
                try FileManager.default.createDirectory(
                    at: target, withIntermediateDirectories: false)
            }
            let error = await #expect(throws: HTTPError.self) {
                try await load(resuming: resuming).soon
            }
            #expect(error?.code == .fileUnwritable)
            #expect(String(describing: error).contains(target.path))
            #expect(server.requests.isEmpty && folder.names == ["film.mp4", "inside"])
            try FileManager.default.removeItem(at: target)
        }
    }

    @Test(arguments: [true, false])
    func theFileReplacesASymbolicLinkWhoseTargetStays(resuming: Bool) async throws {
        let other = try folder.file("other", Data("other's".utf8))
        #expect(chmod(other.path, 0o600) == 0)
        try FileManager.default.createSymbolicLink(at: target, withDestinationURL: other)
        _ = try await load(resuming: resuming).soon
        let type = try FileManager.default.attributesOfItem(atPath: target.path)[.type]
        #expect(type as? FileAttributeType == .typeRegular)
        #expect(try Data(contentsOf: target) == content)
        #expect(try Data(contentsOf: other) == Data("other's".utf8))
        // A new file's permissions, not those of the link's target.
        #expect(mode(target) == mode(try folder.file("new", Data())))
    }

    @Test("The file replaces a pipe, and a program without its setuid", arguments: [true, false])
    func theFileReplacesAPipe(resuming: Bool) async throws {
        #expect(mkfifo(target.path, 0o600) == 0)
        _ = try await load(resuming: resuming).soon
        #expect(try Data(contentsOf: target) == content)
        #expect(chmod(target.path, 0o6755) == 0)
        _ = try await load(resuming: resuming).soon
        let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions]
        #expect(mode as? Int == 0o755)
    }
}

// Exit tests capture values since Swift 6.3.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
extension DownloadFilesTests {
    @Test(arguments: [true, false])
    func aNewFileHasThePermissionsThatTheUmaskLeaves(resuming: Bool) async throws {
        await #expect(processExitsWith: .success) {
            [path = target.path as String, resuming = resuming as Bool] in
            umask(0o027)
            let request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film")))
            let server = RangeServer(Data("film".utf8))
            _ = try await download(
                request, to: URL(fileURLWithPath: path), over: server.answer,
                resuming: resuming ? Resumption() : nil
            ).value
        }
        #expect(target.filePermissions == 0o640 && folder.names == ["film.mp4"])
    }

    @Test("The decoded part of a file that a killed process leaves is replaced by the next one")
    func theDecodedPartOfAKilledProcessIsReplaced() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = target.path as String] in
            let file = URL(fileURLWithPath: path)
            let folder = file.deletingLastPathComponent().path
            Thread.detachNewThread {
                while true {
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                    let others = names.filter { name in
                        !["part", "resume"].contains { name.hasPrefix(".pledge-film.mp4.\($0)") }
                    }
                    if !others.isEmpty { kill(getpid(), SIGKILL) }
                }
            }
            // Their decoding takes much longer than a look at the folder.
            _ = try await loadEncoded(10_000, to: file)
        }
        #expect(
            folder.names.filter { !$0.hasPrefix(".pledge-film.mp4.resume") }
                == [".pledge-film.mp4.decoded", ".pledge-film.mp4.part"])
        _ = try await loadEncoded(1, to: target)
        #expect(folder.names == ["film.mp4"])
    }

    @Test(
        "A program that ends during a download, or right after it cancelled one, keeps all its bytes",
        arguments: [true, false])
    func endsDuringADownload(isCancelled: Bool) async throws {
        await #expect(processExitsWith: .exitCode(130)) {
            [path = target.path as String, isCancelled = isCancelled as Bool] in
            let source = ScriptedSource()
            let request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film")))
            // On this clock, no second passes after which the record would be written anyway.
            let saving = download(
                request, to: URL(fileURLWithPath: path),
                over: { _ in
                    Future(
                        value: HTTPStreamedResponse(
                            status: 200, headers: ["ETag": "\"1\""],
                            body: source.stream(length: 8 << 20)))
                }, resuming: Resumption(), on: ManualScheduler())
            let work = Task { try await saving.value }
            #expect(await comesTrue { source.asked == 1 })
            source.last?.resolve(with: Data(count: 6_000_000))
            #expect(await comesTrue { source.asked == 2 })
            if !isCancelled { exit(130) }
            work.cancel()
            do { _ = try await work.value } catch is CancellationError { exit(130) }
        }
        let state = try #require(DownloadState(encoded: Array(Data(contentsOf: record))))
        #expect(state.received == 6_000_000)
        #expect(try Data(contentsOf: part).count == 6_000_000)
    }
}

/// Loads a file that the server sends as so many members of gzip.
private func loadEncoded(_ members: Int, to file: URL) async throws {
    var content = Data()
    for _ in 0..<members { content += Compressed.gzip }
    let server = RangeServer(content, headers: ["ETag": "\"z\"", "Content-Encoding": "gzip"])
    server.send(inChunksOf: 1 << 18)
    let service: HTTPStreamingService = stack(.decompress(upTo: 1_000), over: server.answer)
    let request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film")))
    _ = try await download(request, to: file, over: service, resuming: Resumption()).value
}
#endif

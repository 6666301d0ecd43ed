#if canImport(FoundationNetworking)
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import Testing

@testable import URLSessionTransport

struct UnreadBodyTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("UnreadBodyTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func body(_ limit: Int = 10) -> UnreadBody {
        UnreadBody(limit: limit, folder: folder, deliver: { $0() })
    }

    private func open(_ unread: UnreadBody) -> HTTPBodyStream {
        unread.open(length: nil, capacity: 1, onCancel: {})
    }

    @Test func givesWhatCameInOrder() async throws {
        let unread = body()
        let pieces = (0..<1_000).map { Data("piece \($0) ".utf8) }
        for piece in pieces[..<300] { try unread.append(piece) }
        let stream = open(unread)
        for piece in pieces[300..<600] { try unread.append(piece) }
        var read = Data()
        while read.count < 2_000 { try await read.append(#require(stream.next().value)) }
        for piece in pieces[600...] { try unread.append(piece) }
        unread.end(.success(()))
        while let chunk = try await stream.next().value { read.append(chunk) }

        #expect(read == Data(pieces.joined()))
    }

    @Test func whatIsFewStaysInMemory() async throws {
        let unread = UnreadBody(
            limit: 10, folder: folder.appendingPathComponent("none"), deliver: { $0() })
        let stream = open(unread)
        for _ in 0..<100 {
            try unread.append(Data("01234".utf8))
            try unread.append(Data("56789".utf8))
            var read = Data()
            while read.count < 10 { try await read.append(#require(stream.next().value)) }
            #expect(read == Data("0123456789".utf8))
        }
    }

    @Test func theFileHasNoNameAndGivesItsRoomBack() throws {
        let file = try UnlinkedFile(in: folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        for round in 0..<3 {
            try file.append(Data("round \(round)".utf8))
            #expect(!file.isEmpty)
            #expect(try file.next(upTo: 100) == Data("round \(round)".utf8))
            #expect(file.isEmpty)
            #expect(try file.next(upTo: 100) == nil)
        }
    }

    @Test func afterAFailureNothingFollows() async throws {
        let unread = UnreadBody(
            limit: 10, folder: folder.appendingPathComponent("none"), deliver: { $0() })
        try unread.append(Data("01234".utf8))
        let error = #expect(throws: FileError.self) { try unread.append(Data(count: 10)) }
        try unread.append(Data("5".utf8))
        unread.end(.failure(HTTPError(code: .fileUnwritable, cause: error)))
        let stream = open(unread)

        #expect(try await stream.next().value == Data("01234".utf8))
        #expect(try await stream.next().httpError.code == .fileUnwritable)
    }

    @Test func anErrorComesAfterWhatCame() async throws {
        let unread = body()
        let stream = open(unread)
        for _ in 0..<3 { try unread.append(Data(count: 10)) }
        unread.end(.failure(HTTPError(code: .connectionLost)))

        var count = 0
        let error = await #expect(throws: HTTPError.self) {
            while let chunk = try await stream.next().value { count += chunk.count }
        }
        #expect(error?.code == .connectionLost)
        #expect(count == 30)
    }

    @Test func whatIsAbandonedIsNotRead() async throws {
        let unread = body()
        let stream = open(unread)
        for _ in 0..<30 { try unread.append(Data(count: 10)) }
        unread.abandon(HTTPError(code: .timedOut))

        var count = 0
        let error = await #expect(throws: HTTPError.self) {
            while let chunk = try await stream.next().value { count += chunk.count }
        }
        #expect(error?.code == .timedOut)
        #expect(count < 300)
    }

    @Test func nothingIsKeptWhereTheReaderLeaves() async throws {
        weak var released: UnreadBody?
        do {
            let unread = body()
            released = unread
            let stream = open(unread)
            for _ in 0..<30 { try unread.append(Data(count: 10)) }
            unread.end(.success(()))
            _ = try await stream.next().value
        }
        #expect(released == nil)
    }
}
#endif

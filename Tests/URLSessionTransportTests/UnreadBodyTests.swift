#if canImport(FoundationNetworking)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import Testing

@testable import PledgeURLSessionTransport

struct UnreadBodyTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("UnreadBodyTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A body of which at most ten bytes are kept in memory, and its reader's end.
    private func body(in folder: URL? = nil) -> (UnreadBody, HTTPBodyStream) {
        let (pipe, stream) = HTTPBodyPipe.make(capacity: 1)
        let unread = UnreadBody(
            for: pipe, limit: 10, folder: folder ?? self.folder, deliver: { $0() })
        return (unread, stream)
    }

    @Test func givesWhatCameInOrder() async throws {
        let (unread, stream) = body()
        let pieces = (0..<1_000).map { Data("piece \($0) ".utf8) }
        for piece in pieces[..<300] { _ = try unread.takeBytes(piece) }
        for piece in pieces[300..<600] { _ = try unread.takeBytes(piece) }
        var read = Data()
        while read.count < 2_000 { read.append(try #require(try await stream.next().value)) }
        for piece in pieces[600...] { _ = try unread.takeBytes(piece) }
        unread.endBody(.success(()))
        while let chunk = try await stream.next().value { read.append(chunk) }

        #expect(read == Data(pieces.joined()))
    }

    @Test func whatIsFewStaysInMemory() async throws {
        let (unread, stream) = body(in: folder.appendingPathComponent("none"))
        for _ in 0..<100 {
            _ = try unread.takeBytes(Data("01234".utf8))
            _ = try unread.takeBytes(Data("56789".utf8))
            var read = Data()
            while read.count < 10 { read.append(try #require(try await stream.next().value)) }
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
        let (unread, stream) = body(in: folder.appendingPathComponent("none"))
        _ = try unread.takeBytes(Data("01234".utf8))
        let error = try #require(
            #expect(throws: HTTPError.self) { _ = try unread.takeBytes(Data(count: 11)) })
        _ = try unread.takeBytes(Data("5".utf8))
        unread.endBody(.failure(error))

        #expect(try await stream.next().value == Data("01234".utf8))
        #expect(try await stream.next().httpError.code == .fileUnwritable)
    }

    @Test func anErrorComesAfterWhatCame() async throws {
        let (unread, stream) = body()
        for _ in 0..<3 { _ = try unread.takeBytes(Data(count: 10)) }
        unread.endBody(.failure(HTTPError(code: .connectionLost)))

        var count = 0
        let error = await #expect(throws: HTTPError.self) {
            while let chunk = try await stream.next().value { count += chunk.count }
        }
        #expect(error?.code == .connectionLost)
        #expect(count == 30)
    }

    @Test func whatIsAbandonedIsNotRead() async throws {
        let (unread, stream) = body()
        for _ in 0..<30 { _ = try unread.takeBytes(Data(count: 10)) }
        unread.endBody(.failure(HTTPError(code: .timedOut)))

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
            let (unread, stream) = body()
            released = unread
            for _ in 0..<30 { _ = try unread.takeBytes(Data(count: 10)) }
            unread.endBody(.success(()))
            _ = try await stream.next().value
        }
        #expect(released == nil)
    }
}
#endif

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime) struct BodySpoolTests {
    @Test func keepsLittleInMemory() throws {
        var spool = BodySpool(limit: 100, memory: 10)
        try spool.append(Data("01234".utf8))
        try spool.append(Data("56789".utf8))

        guard case .data(let data) = try spool.finish() else {
            Issue.record("it is in a file")
            return
        }
        #expect(data == Data("0123456789".utf8))
    }

    @Test func movesToAFileThatOnlyItsOwnerReadsAndThatGoes() throws {
        var spool = BodySpool(limit: 100, memory: 10)
        for piece in ["01234", "56789", "a", "bc"] { try spool.append(Data(piece.utf8)) }
        var body: UploadBody? = try spool.finish()
        spool = BodySpool(limit: 0)
        guard case .file(let url, let file) = body else {
            Issue.record("it is in memory")
            return
        }

        #expect(try Data(contentsOf: url) == Data("0123456789abc".utf8))
        #expect(file != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        body = nil
    }

    @Test func aFileIsRemovedWithItsOwner() throws {
        var file: TemporaryFile? = try TemporaryFile()
        let path = try #require(file?.url.path)
        #expect(FileManager.default.fileExists(atPath: path))

        file = nil

        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [(5, true), (10, true), (11, false), (1_000, false)])
    func isBounded(size: Int, isAllowed: Bool) throws {
        var spool = BodySpool(limit: 15)
        try spool.append(Data(count: 5))
        if isAllowed { return try spool.append(Data(count: size)) }

        let error = try #require(throws: HTTPError.self) { try spool.append(Data(count: size)) }

        #expect(error.code == .bodyTooLarge)
    }

    @Test func cancelsAStreamThatIsTooLong() async throws {
        let cancelled = Promise<Void>()
        let stream = HTTPBodyStream(
            next: { Future(value: Data(count: 10)) }, cancel: { cancelled.resolve() })

        let error = try await BodySpool.body(of: stream, upTo: 95).httpError

        #expect(error.code == .bodyTooLarge)
        try await cancelled.soon
    }
}

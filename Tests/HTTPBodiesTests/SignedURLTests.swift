import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite(.oneAtATime) struct SignedURLTests {
    private let folder: TestFolder
    private let target: URL
    private let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let server: RangeServer

    init() throws {
        folder = try TestFolder()
        target = try folder.file("film.mp4")
        server = RangeServer(content)
    }

    /// Loads from one URL until the connection is lost, and then from the other one.
    private func resumed(_ first: String, _ second: String) async throws -> Int64 {
        server.lose(after: [9_000])
        try? FileManager.default.removeItem(at: target)
        await #expect(throws: HTTPError.self) { try await load(first).value }
        let saved = try await load(second).value
        #expect(try Data(contentsOf: target) == server.content)
        return saved.resumedFrom
    }

    private func load(_ url: String) throws -> Future<HTTPDownload> {
        download(
            HTTPRequest(.get, try #require(URL(string: url))), to: target, over: server.answer,
            resuming: Resumption(Retry(attempts: 1)))
    }

    static let signed = [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=%&X-Amz-Expires=60&X-Amz-Signature=%",
        "AWSAccessKeyId=key&Expires=%&Signature=%",
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Date=%&X-Goog-Signature=%",
        "GoogleAccessId=me&Expires=%&Signature=%",
        "sv=2025-01-05&st=%&se=%&sr=b&sp=r&sig=%",
        "Expires=%&Signature=%&Key-Pair-Id=K1",
        "Policy=%&Signature=%&Key-Pair-Id=K1",
    ]

    private func url(_ query: String, _ number: Int, _ start: String = "film?id=1&") -> String {
        "https://files.example/\(start)" + query.replacing("%", with: "\(number)")
    }

    @Test(arguments: signed)
    func theSameFileUnderANewSignatureGoesOn(query: String) async throws {
        #expect(try await resumed(url(query, 1), url(query, 2)) == 9_000)
        #expect(server.requests.last?.headers["If-Range"] == "\"1\"")
        // Another file, or another version of it, isn't the same.
        for other in ["other?id=1&", "film?id=2&", "film?"] {
            #expect(try await resumed(url(query, 1), url(query, 2, other)) == 0)
        }
        let elsewhere = url(query, 2).replacing("files.", with: "more.")
        #expect(try await resumed(url(query, 1), elsewhere) == 0)
        #expect(try await resumed(url(query, 1), url(query, 1) + "&versionId=2") == 0)
    }

    @Test(arguments: [
        "Expires=%", "st=%", "sig=%", "X-Amz-Date=%", "Signature=%", "Policy=%&Signature=%",
        "token=%",
    ])
    func parametersThatAreNotAKnownSignaturesDecideWhatComes(query: String) async throws {
        #expect(try await resumed(url(query, 1), url(query, 2)) == 0)
        #expect(server.ranges == [nil, nil])
    }

    @Test("A new signature needs a strong ETag, and the same size in the answer")
    func aNewSignatureNeedsAStrongETag() async throws {
        let query = Self.signed[0]
        server.leaveOutSizes(of: 1)
        #expect(try await resumed(url(query, 1), url(query, 1)) == 9_000)
        server.leaveOutSizes(of: 1)
        #expect(try await resumed(url(query, 1), url(query, 2)) == 0)
        server.change(
            content,
            headers: [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
            ])
        #expect(try await resumed(url(query, 1), url(query, 1)) == 9_000)
        #expect(try await resumed(url(query, 1), url(query, 2)) == 0)
        server.change(content, headers: ["ETag": "\"1\""])
        server.sendNoLength()
        #expect(try await resumed(url(query, 1), url(query, 2)) == 0)
    }
}

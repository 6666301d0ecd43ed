import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

/// Downloads from servers that encode the file, though the client asks for identity, or leave headers out of parts.
@Suite(.oneAtATime) struct DownloadCodingTests {
    private let folder: TestFolder
    private let target: URL
    private let request: HTTPRequest
    /// Members of gzip, one after the other.
    private let encoded = (0..<50).reduce(Data()) { data, _ in data + Compressed.gzip }
    private let content = (0..<50).reduce(Data()) { data, _ in data + Compressed.text }
    private let server: RangeServer

    init() throws {
        folder = try TestFolder()
        target = try folder.file("film.mp4")
        request = HTTPRequest(.get, try #require(URL(string: "https://a.example/film")))
        server = RangeServer(encoded, headers: ["ETag": "\"z\"", "Content-Encoding": "gzip"])
    }

    private func load(
        attempts: Int = 1, parts: Int = 1, sha256: Data? = nil, limit: Int64 = .max,
        over service: HTTPStreamingService? = nil
    ) -> Future<HTTPDownload> {
        download(
            request, to: target,
            over: service ?? stack(.decompress(upTo: 1_000), over: server.answer), limit: limit,
            sha256: sha256.map { SHA256.hash(Array($0)).hexadecimal },
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))), parts: parts
        )
    }

    @Test("The encoded bytes are counted and resumed, and the file is decoded at the end")
    func theEncodedBytesAreCountedAndResumed() async throws {
        server.lose(after: [3_000])
        await #expect(throws: HTTPError.self) { try await load().value }
        let saved = try await load(sha256: content).value
        #expect(try Data(contentsOf: target) == content)
        #expect(saved.resumedFrom == 3_000 && saved.byteCount == Int64(content.count))
        #expect(saved.response.status == 206 && saved.response.headers["Content-Encoding"] == nil)
        #expect(server.ranges == [nil, "bytes=3000-"])
        #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
        #expect(folder.names == ["film.mp4"])
    }

    @Test(arguments: [1, 2])
    func aPartWithoutTheCodingOfTheWholeFileBeginsAnew(attempts: Int) async throws {
        server.leaveOutOfParts("Content-Encoding")
        server.lose(after: [3_000])
        if attempts == 1 {
            await #expect(throws: HTTPError.self) { try await load().value }
        }
        let saved = try await load(attempts: attempts).value
        #expect(try Data(contentsOf: target) == content)
        #expect(saved.resumedFrom == 0)
        #expect(server.ranges == [nil, "bytes=3000-", nil])
    }

    @Test("A file whose decoded bytes have another SHA-256, or are too many, leaves nothing")
    func aFileWithOtherDecodedBytesLeavesNothing() async throws {
        let other = load(sha256: encoded)
        #expect(
            await #expect(throws: HTTPError.self) { try await other.value }?.code == .digestMismatch
        )
        #expect(folder.names.isEmpty)
        let large = load(limit: Int64(content.count) - 1)
        let error = await #expect(throws: HTTPError.self) { try await large.value }
        #expect(error?.code == .bodyTooLarge && folder.names.isEmpty)
        _ = try await load(limit: Int64(content.count)).value
        #expect(try Data(contentsOf: target) == content)
    }

    @Test("Bytes that can't be decoded leave nothing, and keep the old file")
    func bytesThatCannotBeDecodedLeaveNothing() async throws {
        try Data("old".utf8).write(to: target)
        server.change(
            encoded.dropLast(4), headers: ["ETag": "\"z\"", "Content-Encoding": "gzip"])
        let error = await #expect(throws: HTTPError.self) { try await load().value }
        #expect(error?.code == .badResponse && error?.request != nil)
        #expect((error?.cause as? DecompressionFailure)?.code == .truncated)
        #expect(folder.names == ["film.mp4"])
        #expect(try Data(contentsOf: target) == Data("old".utf8))
    }

    @Test func partsOfAnEncodedFileAreJoinedBeforeTheyAreDecoded() async throws {
        // Deflate without compression (RFC 1951, section 3.2.4).
        let block = Data((0..<65_535).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        var large = Data()
        for index in 0..<60 { large += [index == 59 ? 1 : 0, 0xFF, 0xFF, 0, 0] + block }
        server.change(large, headers: ["ETag": "\"z\"", "Content-Encoding": "deflate"])
        server.send(inChunksOf: 1 << 18)
        _ = try await load(parts: 2).value
        #expect(server.ranges.count == 3 && server.ranges.allSatisfy { $0 != nil })
        #expect(try Data(contentsOf: target) == (0..<60).reduce(Data()) { data, _ in data + block })
    }

    @Test("Without a layer that decodes, and with an unknown coding, the file is as it was sent")
    func aFileWithoutADecodingLayerIsAsItWasSent() async throws {
        _ = try await load(over: server.answer).value
        #expect(try Data(contentsOf: target) == encoded)
        server.change(encoded, headers: ["ETag": "\"z\"", "Content-Encoding": "compress"])
        let saved = try await load().value
        #expect(try Data(contentsOf: target) == encoded)
        #expect(saved.response.headers["Content-Encoding"] == "compress")
    }

    @Test(
        "A body that the transport has decoded is never resumed, because its bytes can't be asked for"
    )
    func decodedByTheTransport() async throws {
        server.change(content, headers: ["ETag": "\"z\""])
        let service: HTTPStreamingService = { [server] request in
            server.answer(request).map { response in
                var response = response
                response.request = request
                response.request?.context.coding = .decoded
                return response
            }
        }
        server.lose(after: [3_000])
        await #expect(throws: HTTPError.self) { try await load(over: service).value }
        #expect(folder.names.isEmpty)
        server.lose(after: [3_000])
        _ = try await load(attempts: 2, over: service).value
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == [nil, nil, nil])
    }

    @Test("A part without the ETag begins anew once in a call, and then fails it")
    func aPartWithoutTheETagBeginsAnewOnceInACall() async throws {
        let server = RangeServer(content)
        server.leaveOutOfParts("ETag")
        server.lose(after: [3_000])
        _ = try await load(attempts: 5, over: server.answer).value
        #expect(try Data(contentsOf: target) == content)
        #expect(server.ranges == [nil, "bytes=3000-", nil])
        server.lose(after: [3_000, .max, 4_000])
        let again = load(attempts: 5, over: server.answer)
        let error = await #expect(throws: HTTPError.self) { try await again.value }
        #expect(error?.code == .badResponse && String(describing: error).contains("ETag"))
        #expect(server.ranges.suffix(4) == [nil, "bytes=3000-", nil, "bytes=4000-"])
        #expect(folder.names == ["film.mp4"])
    }

    @Test func aPartWithALastModifiedAloneOrWithoutItGoesOn() async throws {
        let server = RangeServer(
            content,
            headers: [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
            ])
        for header in [nil, "Last-Modified"] {
            if let header { server.leaveOutOfParts(header) }
            server.lose(after: [3_000])
            _ = try await load(attempts: 2, over: server.answer).value
            #expect(try Data(contentsOf: target) == content)
            #expect(server.ranges.suffix(2) == [nil, "bytes=3000-"])
        }
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPBodyStreamDataTests {
    @Test(arguments: [1, 3, 10, 11])
    func itIsCutIntoChunks(of size: Int) async throws {
        let bytes = Data((0..<10).map { $0 })
        let stream = HTTPBodyStream(bytes, chunksOf: size)
        #expect(stream.length == 10)
        var chunks: [Data] = []
        for try await chunk in stream { chunks.append(chunk) }
        #expect(chunks.allSatisfy { $0.startIndex == 0 && $0.count <= size })
        #expect(chunks.count == (10 + size - 1) / size)
        #expect(Data(chunks.joined()) == bytes)
    }

    @Test func ofNoBytesItIsAtItsEnd() {
        let stream = HTTPBodyStream(Data())
        #expect(stream.length == 0)
        #expect(stream.next().text == "nil")
    }

    @Test func aSliceIsReadFromItsOwnStart() {
        let slice = Data("0123456789".utf8)[3..<6]
        #expect(HTTPBodyStream(slice).collected(upTo: 3).success == Data("345".utf8))
    }
}

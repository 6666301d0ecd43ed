import Testing

@testable import PledgeTesting

struct LoopbackRequestReaderTests {
    private static let text =
        "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX:  a b \t\r\n\r\n"
        + "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
        + "\r\nPUT /q HTTP/1.1\r\ncontent-length: 4\r\n\r\nwxyzGET /r HTTP/1.1\r\n\r\n"

    /// The same bytes give the same requests, however they are divided.
    @Test(arguments: [1, 2, 3, 5, 7, 64, 1000])
    func readsRequestsFromAnyPieces(size: Int) throws {
        var reader = LoopbackRequestReader()
        var requests: [LoopbackRequest] = []
        let bytes = Array(Self.text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(bytes[start..<min(start + size, bytes.count)])
            while let request = try reader.next() { requests.append(request) }
        }

        #expect(requests.map(\.method) == ["POST", "PUT", "GET"])
        #expect(requests.map(\.target) == ["/p", "/q", "/r"])
        #expect(requests.map(\.text) == ["abc0123456789", "wxyz", ""])
        #expect(requests[0].header("x") == "a b")
        #expect(!reader.isMidRequest)
    }

    @Test(arguments: [
        "GET /\r\n", "nonsense\r\n", "GET / HTTP/1.1\r\nno colon\r\n",
        "GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ])
    func refusesWhatIsNoRequest(text: String) throws {
        var reader = LoopbackRequestReader()
        reader.append(Array(text.utf8)[...])

        let error = try #require(throws: LoopbackError.self) { try reader.next() }
        #expect(error.code == .notHTTP)
    }

    @Test func knowsWhetherARequestHasBegun() throws {
        var reader = LoopbackRequestReader()
        #expect(!reader.isMidRequest)
        reader.append(Array("GET / HT".utf8)[...])
        #expect(try reader.next() == nil)
        #expect(reader.isMidRequest)
        reader.append(
            Array("TP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n".utf8)[...]
        )
        #expect(try reader.next() == nil)
        #expect(reader.isMidRequest)
        #expect(reader.awaitsContinue)
        reader.append(Array("x".utf8)[...])
        #expect(try reader.next()?.text == "x")
        #expect(!reader.isMidRequest)
        #expect(!reader.awaitsContinue)
    }
}

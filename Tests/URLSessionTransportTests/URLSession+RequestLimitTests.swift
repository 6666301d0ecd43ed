import Dispatch
import Foundation
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPNetworking
import PledgeServices
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct URLSessionRequestLimitTests {
    @Test func aBodyThatGrowsBeyondTheLimitFailsAndIsNotKept() async throws {
        let bomb = try await Self.bomb()
        #expect(bomb.count == 611_522)
        let server = try LoopbackServer { _ in
            .response(headers: ["Content-Encoding": "gzip"], body: bomb)
        }
        let before = heldBytes()
        let most = Locked(before)
        let watch = DispatchSource.makeTimerSource()
        watch.schedule(deadline: .now(), repeating: .milliseconds(2))
        watch.setEventHandler { most.withLock { $0 = max($0, heldBytes()) } }
        watch.resume()
        defer { watch.cancel() }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.code == .bodyTooLarge)
        #expect(error.status == 200)
        // The body may have 64 MiB, in addition to a buffer that grows.
        #expect(most.withLock { $0 } - before < 256 << 20)
    }

    /// 600 MiB of zeros as gzip, compressed twice more here.
    private static func bomb() async throws -> Data {
        let text = """
            eNqruPX2jqJfDKOIw0V7g6SgwKjGVRm81Ssymdh6GbhXrsq8fsGTg6v5YBn3Cr0FfJ0ZTBZiFxQENBJuzXQN+VPd
            V/Xr5PTpv/+VmOmsXfv/p+nMP9LP0vXFv28OZ2ZgYDAo+nz78denhgk/Nuy4d9caKMJw7N3nY69fvtL4UPIl77gV
            UCDhi59dbc3mXwIVP/7lZsmCdFXN7i+/vTr6wNNHz2/X/gaKNFzcLcgDokUOgszIgHDEwJwOZM6ozKjMqMyAyEz7
            fHz3z0+GCb+zCv/a3JYBCv04X7fmr92fX6kSz6LrGU1LRAsAkp/ryQ==
            """
        let packed = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
        let unpack: HTTPService = stack(
            .decompress(upTo: 1 << 20),
            over: { _ in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Content-Encoding": "deflate, deflate"], body: packed
                    ))
            })
        let url = try #require(URL(string: "http://in.memory"))
        return try await unpack(HTTPRequest(url)).value.body
    }
}

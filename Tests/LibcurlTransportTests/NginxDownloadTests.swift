import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

#if os(Linux)
/// Downloads from a real nginx.
@Suite(.oneAtATime)
struct NginxDownloadTests {
    @Test(
        "a download from nginx goes on where it was lost, comes in parts, and begins anew if the file changed"
    )
    func aDownloadFromNginxIsResumed() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let folder = site.certificates.file("large")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var film = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 5) })
        try film.write(to: folder.appending(path: "film"))
        let request = HTTPRequest(.get, try site.url(.good).appending(path: "large/film"))
        let client = try HTTPClient(base: site.url(.good), over: site.transport())
        let file = site.certificates.file("saved")

        let lost = download(
            request, to: file,
            over: { client.futures.stream($0).map { $0.losing(after: 2_500_000) } },
            resuming: Resumption(Retry(attempts: 1)))
        await #expect(throws: HTTPError.self) { try await lost.value }
        let rest = try await client.download(request, to: file)
        #expect(rest.resumedFrom >= 2_500_000 && rest.response.status == 206)
        #expect(try Data(contentsOf: file) == film)

        let parts = try await client.download(request, to: file, parts: 4)
        #expect(parts.byteCount == 6_000_000 && parts.response.status == 206)
        #expect(try Data(contentsOf: file) == film)

        let again = download(
            request, to: file,
            over: { client.futures.stream($0).map { $0.losing(after: 2_500_000) } },
            resuming: Resumption(Retry(attempts: 1)))
        await #expect(throws: HTTPError.self) { try await again.value }
        film.append(1)
        try film.write(to: folder.appending(path: "film"))
        let changed = try await client.download(request, to: file)
        #expect(changed.resumedFrom == 0 && changed.response.status == 200)
        #expect(try Data(contentsOf: file) == film)
    }
}

extension HTTPStreamedResponse {
    /// Loses the connection after a number of bytes.
    fileprivate func losing(after bytes: Int) -> HTTPStreamedResponse {
        var response = self
        let (body, left) = (body, Locked(bytes))
        response.body = HTTPBodyStream(
            length: body.length,
            next: {
                if left.withLock({ $0 }) <= 0 {
                    body.cancel()
                    return Future(error: HTTPError(code: .connectionLost))
                }
                return body.next().map { chunk in
                    left.withLock { $0 -= chunk?.count ?? 0 }
                    return chunk
                }
            }, cancel: { body.cancel() })
        return response
    }
}
#endif

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// What a server has said comes back byte by byte.
///
/// In the texts here a character stands for a byte.
@Suite(.oneAtATime) struct CurlTransportBytesTests {
    /// A server that answers each request with the next status and fields, and records the requests' heads.
    private final class Site: Sendable {
        private let heads = Locked<[String]>([])
        private let server: SocketServer

        init(_ answers: (status: Int, fields: String)...) throws {
            let left = Locked(answers[...])
            server = try SocketServer { [heads] connection in
                while let head = connection.headBytes() {
                    heads.withLock { $0.append(HTTPHeaders.text(ofLatin1: head)) }
                    let (status, fields) = left.withLock { $0.popFirst() } ?? (200, "X: y")
                    let answer =
                        "HTTP/1.1 \(status) Status\r\n\(fields)\r\nContent-Length: 2\r\n\r\nok"
                    connection.send(HTTPHeaders.bytes(ofLatin1: answer) ?? [])
                }
            }
        }

        func stop() { server.stop() }

        var url: URL { server.url() }

        /// The lines of the heads, in order.
        var requests: [[String]] {
            heads.withLock { $0 }.map { head in
                head.unicodeScalars.split(separator: "\n").map { String($0.dropLast()) }
            }
        }
    }

    private func send(_ service: HTTPService, to site: Site) async throws -> HTTPResponse {
        try await service(HTTPRequest(.get, site.url)).soon
    }

    @Test func locationAndCookiesKeepTheirBytes() async throws {
        let site = try Site(
            (302, "Location: /caf\u{E9}\r\nSet-Cookie: a=\u{E9}\u{85}; Path=/"))
        defer { site.stop() }
        let service: HTTPService = stack(
            .redirect(), .cookies(sharing: CookieJar()), over: CurlTransport.patient.send)

        #expect(try await send(service, to: site).status == 200)
        #expect(site.requests.last?.first == "GET /caf%E9 HTTP/1.1")
        #expect(site.requests.last?.contains("Cookie: a=\u{E9}\u{85}") == true)
    }

    @Test(arguments: ["\u{85}", "\u{E9}", "\u{C2}\u{85}", "\u{EF}\u{BF}\u{BD}", "\u{80}\u{FF}"])
    func aValidatorKeepsItsBytes(bytes: String) async throws {
        let fields =
            "Cache-Control: max-age=0\r\nETag: \"\(bytes)\"\r\nLast-Modified: \(bytes)"
        let site = try Site((200, fields), (200, fields))
        defer { site.stop() }
        let service: HTTPService = stack(
            .cache(sharing: HTTPCache()), over: CurlTransport.patient.send)

        for _ in 1...3 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 3)
        for request in site.requests.dropFirst() {
            #expect(request.contains("If-None-Match: \"\(bytes)\""))
            #expect(request.contains("If-Modified-Since: \(bytes)"))
        }
    }

    @Test func aValidatorWithAControlCharacterIsLeftOut() async throws {
        let fields = "Cache-Control: max-age=0\r\nETag: \"v\u{7F}\"\r\nLast-Modified: \u{1}"
        let site = try Site((200, fields), (200, fields))
        defer { site.stop() }
        let service: HTTPService = stack(
            .cache(sharing: HTTPCache()), over: CurlTransport.patient.send)

        for _ in 1...2 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 2)
        #expect(site.requests.joined().allSatisfy { !$0.hasPrefix("If-") })
    }

    @Test func aNonceKeepsItsBytes() async throws {
        let nonce = "nonce=\"n\u{85}\u{E9}\""
        let site = try Site(
            (401, "WWW-Authenticate: Digest realm=\"r\u{FF}\", qop=\"auth\", \(nonce)"))
        defer { site.stop() }
        let service: HTTPService = stack(
            .authorize(.digest(user: "u", password: "p"), for: .all),
            over: CurlTransport.patient.send)

        for _ in 1...2 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 3)
        for request in site.requests.dropFirst() {
            #expect(request.contains { $0.contains("realm=\"r\u{FF}\"") && $0.contains(nonce) })
        }
    }

    @Test func aLineWithoutAFieldsNameIsDroppedAndABareCRIsASpace() async throws {
        let site = try Site((200, "X-A : 1\r\n folded\r\nX-B: 2\rX-C: 3\r\nX-D: 4"))
        defer { site.stop() }

        let response = try await send(CurlTransport.patient.send, to: site)

        #expect(response.status == 200 && response.text == "ok")
        #expect(response.headers.map(\.name) == ["X-B", "X-D", "Content-Length"])
        #expect(response.headers["X-B"] == "2 X-C: 3")
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct HTTPExchangeTests {
    @Test func noTextOfItShowsASecretOrASecondLine() throws {
        let told = Locked<HTTPExchange?>(nil)
        let request = HTTPRequest(
            "GET\r\nX: y", URL(string: "https://s3cret@a.example/?a=s3cret#s3cret")!,
            headers: ["Cookie": "s3cret"], body: .data(Data("s3cret".utf8)))
        let service: HTTPService = stack(
            .exchangeLog { exchange in told.withLock { $0 = exchange } },
            over: { _ in Future(value: HTTPResponse(status: 200, body: Data("s3cret".utf8))) })
        _ = service(request)
        let exchange = try #require(told.withLock { $0 })
        for text in texts(of: exchange) + [exchange.logLineWithHeaders] {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(!exchange.logLine.contains { $0.isNewline })
        #expect(exchange.bytes == 6 && exchange.request == request)
    }
}

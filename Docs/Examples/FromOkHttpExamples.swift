// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/FromOkHttp.md.
@Suite struct FromOkHttpExamples {
    @Test func interceptors() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: interceptor
        let logging = Middleware<HTTPRequest, HTTPResponse> { proceed in
            { request in
                var request = request
                request.headers["X-Trace"] = "7"
                return proceed(request).map { [request] response in
                    print("\(request.method) \(request.url.path): \(response.status)")
                    return response
                }
            }
        }
        // end snippet
        // snippet: server
        let server = URL(string: "https://shop.example/")!
        let transport = MemoryTransport(routes: [.get("/", answer: .text("hello"))])
        // end snippet
        // snippet: client
        let service: HTTPService = stack(
            logging,  // an application interceptor: once for each call
            .redirect(),
            .retry(),
            logging,  // a network interceptor: once for each request that is sent
            over: transport.send)
        let call = service(HTTPRequest(server))  // enqueue: the call has begun
        call.observe { result in print((try? result.get().text) ?? "failed") }
        // end snippet
        #expect(lines.lines == ["GET /: 200", "GET /: 200", "hello"])
        #expect(transport.calls.first?.request?.headers["X-Trace"] == "7")
    }

    @Test func dispatcher() {
        let transport = MockNetwork()
        // snippet: dispatcher
        let places = Bulkhead(limit: 5, queue: 100)  // maxRequestsPerHost
        let service: HTTPService = stack(.bulkhead(sharing: places), over: transport.send)
        // end snippet
        let calls = (1...6).map { _ in service(HTTPRequest(URL(string: "https://a.example")!)) }
        #expect(transport.pending.count == 5)
        calls.forEach { $0.cancel() }
    }
}

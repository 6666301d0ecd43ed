import Foundation
import Pledge
import PledgeTesting
import Testing

@Suite struct FunctionTransportTests {
    private let server = URL(string: "https://api.example.com/v1")!
    private let scheduler = ManualScheduler()

    @Test func aFunctionIsATransportToo() throws {
        let client = HTTPClient(base: server) { request in
            Future(value: HTTPResponse(status: 200, body: Data(request.url.path.utf8)))
        }
        let request = HTTPRequest(server.appending(path: "a"))
        #expect(try client.send(request).settledValue().text == "/v1/a")
        let streamed = try client.stream(request).settledValue()
        #expect(try streamed.collected(upTo: 100).settledValue().text == "/v1/a")
    }

    @Test func whatAServerRefusedIsSentAgain() throws {
        let count = Locked(0)
        var client = HTTPClient(base: server) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Future(value: HTTPResponse(status: number == 1 ? 421 : 200))
        }
        client.scheduler = scheduler
        let future = client.networking(Endpoint(path: "/orders", method: .post))
        scheduler.run()
        #expect(try future.settledValue().isEmpty)
        #expect(count.withLock { $0 } == 2)
    }
}

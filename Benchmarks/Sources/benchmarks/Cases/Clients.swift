import Foundation
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import PledgeServices

extension Case {
    /// The cost of a new client around a transport that answers at once.
    static let clientWithDefaults = Case(
        name: "POST of JSON, client with its defaults",
        ways: [
            Way("Pledge") { posts($0) { HTTPClient(base: server, over: $0).send } },
            Way("bare transport") { posts($0) { $0.send } },
        ]
    )

    /// The cost of a new client with every part in use, except the log.
    static let clientWithAllSlots = Case(
        name: "POST of JSON, client with all slots",
        ways: [
            Way("Pledge") { posts($0) { clientWithAll(over: $0).send } },
            Way("bare transport") { posts($0) { $0.send } },
        ]
    )
}

private let server = URL(string: "https://api.example.com")!

private let orders = URL(string: "https://api.example.com/orders")!

private struct Order: Encodable {
    let id: Int
    let items = ["pen", "ink", "paper"]
}

private func posts(_ count: Int, _ makeService: (MemoryTransport) -> HTTPService) {
    let service = opaque(
        makeService(MemoryTransport(routes: [.post("/orders", answer: .text("ok"))])))
    for index in 0..<count {
        let body = try! HTTPRequest.Body.json(Order(id: index))
        keep(service(HTTPRequest(.post, orders, body: body)))
    }
}

private func clientWithAll(over transport: MemoryTransport) -> HTTPClient {
    var client = HTTPClient(base: server, over: transport)
    client.headers = ["Accept": "application/json"]
    client.authorization = .bearer("token")
    client.cookies = CookieJar()
    client.cache = HTTPCache()
    client.sendsIdempotencyKeys = true
    client.hedge = .init()
    client.circuitBreaker = .perOrigin()
    client.bulkhead = .perOrigin()
    client.deadline = .seconds(60)
    client.acceptedStatuses = 200...299
    client.metrics = ServiceMetrics()
    return client
}

import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import Testing

@Suite struct MockNetworkOfARecordingTests {
    private let har = HTTPArchive(entries: [
        .init(
            HTTPRequest(URL(string: "https://a.example/products/7?page=1")!),
            HTTPResponse(status: 200, body: Data("seven".utf8))),
        .init(
            HTTPRequest(URL(string: "https://a.example/products/8")!), HTTPResponse(status: 404)),
    ])

    @Test func aRecordingAnswersEndpointsWithOrWithoutABase() throws {
        let network = MockNetwork(har: har)
        let seven = Endpoint(path: "/products/7", query: .init([.init(name: "page", value: "1")]))
        #expect(try network.request(seven).settledValue() == Data("seven".utf8))
        var based = seven
        based.base = URL(string: "https://a.example")
        #expect(try network.request(based).settledValue() == Data("seven".utf8))
        let missing = #expect(throws: HTTPError.self) {
            try network.request(Endpoint(path: "/products/8")).settledValue()
        }
        #expect(missing?.status == 404)
        #expect(network.received.map(\.path) == ["/products/7", "/products/7", "/products/8"])
        #expect(network.pending.isEmpty)
        try network.finish()
        #expect(throws: MockError.self) { try network.request(seven).settledValue() }
    }

    @Test func anEndpointThatTheRecordingDoesNotAnswerShowsTheNearestExchange() throws {
        let network = MockNetwork(har: har)
        let error = #expect(throws: ReplayTransport.Failure.self) {
            try network.request(Endpoint(path: "/products/9")).settledValue()
        }
        #expect(error?.nearest?.request.url.path == "/products/8")
        let elsewhere = MockNetwork(har: har, base: URL(string: "https://b.example"))
        #expect(throws: ReplayTransport.Failure.self) {
            try elsewhere.request(Endpoint(path: "/products/8")).settledValue()
        }
        #expect(throws: ReplayTransport.Failure.self) {
            try MockNetwork(har: HTTPArchive()).request(Endpoint(path: "/")).settledValue()
        }
    }

    @Test func requestsAreAnsweredTooAndEntriesInOrder() throws {
        let network = MockNetwork(har: har, matching: .init(query: false), repeatsLast: false)
        let request = HTTPRequest(URL(string: "https://a.example/products/7")!)
        #expect(try network.send(request).settledValue().text == "seven")
        #expect(throws: ReplayTransport.Failure.self) { try network.send(request).settledValue() }
        #expect(network.received.count == 2)
    }
}

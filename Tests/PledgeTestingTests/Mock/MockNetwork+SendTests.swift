import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct MockNetworkSendTests {
    private let network = MockNetwork()
    private let server = URL(string: "https://api.example.com/v1")!
    private struct Refusal: Error, Equatable {}

    @Test func whatNoTransportWouldSendDoesNotArriveOnEitherLevel() {
        let headers: HTTPHeaders = ["TE": "trailers"]
        #expect(throws: Endpoint.Error.reservedHeader(name: "TE")) {
            try network.send(HTTPRequest(server, headers: headers)).settledValue()
        }
        #expect(throws: Endpoint.Error.reservedHeader(name: "TE")) {
            try network.request(Endpoint(path: "/a", headers: headers)).settledValue()
        }
        #expect(network.received.isEmpty)
    }

    @Test(arguments: [
        ("https://api.example.com/v1/a%2Fb/c?q=1#part", "/v1/a%2Fb/c"), ("https://h", ""),
        ("http://user@h:8080/x", "/x"), ("http://h/?a", "/"), ("http://h?a", ""),
        ("http://h/a/../b", ""), ("http://h/a//b;c=1?d=%20", "/a//b;c=1"),
    ])
    func theEndpointHasThePathOfTheRequest(url: String, path: String) throws {
        let network = MockNetwork()
        let url = try #require(URL(string: url))
        let answer = network.send(HTTPRequest(url))
        let call = try network.next()
        #expect(call.endpoint.path == path)
        #expect(call.endpoint.url == Endpoint(url: url).url)
        call.answer(with: Data())
        #expect(answer.isSettled)
    }

    @Test func theTestSeesWhatMiddlewareAdded() throws {
        let service = stack(
            .defaultHeaders(["X-App": "1"]),
            .authorize(.bearer("secret"), for: .origins(of: server)), over: network.send)
        let api = makeNetworking(over: service, base: server)
        let future = api(
            Endpoint(path: "/products/7", headers: ["Accept": "application/json"]))

        let call = try network.next()
        #expect(call.headers["X-App"] == "1")
        #expect(call.headers["Authorization"] == "Bearer secret")
        #expect(call.headers["Accept"] == "application/json")
        #expect(call.request?.url.absoluteString == "https://api.example.com/v1/products/7")
        #expect(call.request?.method == .get)
        call.answer(with: .text("seven"))

        #expect(try future.settledValue() == Data("seven".utf8))
    }

    @Test func responsesAndErrorsKnowTheRequest() throws {
        let request = HTTPRequest(server, headers: ["X-App": "1"])
        let answered = network.send(request)
        try network.next().answer(with: .status(403))
        #expect(try answered.settledValue().request == request)
        let lost = network.send(request)
        try network.next().answer(with: .failure(HTTPError(code: .connectionLost)))
        #expect {
            try lost.settledValue()
        } throws: {
            ($0 as? HTTPError)?.request == request
        }
    }

    @Test func theHeadersAreThoseThatAreSent() throws {
        var request = HTTPRequest(.post, server)
        request.body = try .json(["a": 1])
        request.context.idempotencyKey = "key"
        let future = network.send(request)

        let call = try network.next()
        #expect(call.headers["Content-Type"] == "application/json")
        #expect(call.headers["Idempotency-Key"] == "key")
        #expect(call.endpoint.body.data == Data(#"{"a":1}"#.utf8))
        #expect(call.endpoint.method == .post)
        #expect(call.endpoint.url == server)
        call.answer(with: .status(204))
        #expect(try future.settledValue().status == 204)
    }

    @Test func anEndpointsHeadersAreSeenWithoutARequest() throws {
        let future = network.request(Endpoint(path: "/", headers: ["X": "1"]))
        let call = try network.next()
        #expect(call.headers["X"] == "1")
        #expect(call.request == nil)
        call.answer(with: Data())
        #expect(try future.settledValue() == Data())
    }

    @Test func aResponseOfAnyStatusResolves() throws {
        let future = network.send(HTTPRequest(server))
        try network.next().answer(
            with: .status(404, headers: ["X-Why": "gone"], body: Data("nothing".utf8)))

        let response = try future.settledValue()
        #expect(response.status == 404)
        #expect(response.headers["X-Why"] == "gone")
        #expect(response.text == "nothing")
        #expect(response.url == server)
    }

    @Test func answersPassThroughTheMiddleware() throws {
        let scheduler = ManualScheduler()
        let service = stack(
            .redirect(), .retry(attempts: 2, backoff: .constant(.seconds(1)), on: scheduler),
            over: network.send)
        let future = service(HTTPRequest(server))

        try network.next().answer(with: .status(503))
        scheduler.advance(by: .seconds(1))
        let second = try network.next()
        #expect(second.context.attempt == 2)
        second.answer(with: .status(302, headers: ["Location": "/elsewhere"]))
        let third = try network.next()
        #expect(third.request?.url.path == "/elsewhere")
        third.answer(with: .text("there"))

        #expect(try future.settledValue().text == "there")
        #expect(network.received.count == 3)
    }

    @Test func mayFailAndMayBeCancelled() throws {
        let failing = network.send(HTTPRequest(server))
        try network.next().answer(with: .failure(Refusal()))
        #expect(throws: Refusal()) { try failing.settledValue() }

        let leaving = network.send(HTTPRequest(server))
        let call = try network.next()
        leaving.cancel()
        #expect(call.isCancelled)
        #expect(!call.answer(with: .text("too late")))
        #expect(throws: CancellationError.self) { try leaving.settledValue() }
    }

    @Test func whatIsLetGoOfOrComesTooLateRejects() throws {
        let dropped = network.send(HTTPRequest(server))
        _ = try network.next()
        let error = try #require(throws: MockError.self) { try dropped.settledValue() }
        #expect(error.code == .abandoned)

        try network.finish()
        let late = network.send(HTTPRequest(server))
        let refusal = try #require(throws: MockError.self) { try late.settledValue() }
        #expect(refusal.code == .unexpectedCall)
        #expect("\(refusal)".contains("GET https://api.example.com/v1"))
    }

    @Test func whatNoTransportSendsDoesNotArrive() {
        let future = network.send(HTTPRequest(server, headers: ["X": "a\r\nb"]))
        #expect(throws: HTTPRequest.Error.invalidHeader(name: "X")) {
            try future.settledValue()
        }
        #expect(network.received == [])
    }
}

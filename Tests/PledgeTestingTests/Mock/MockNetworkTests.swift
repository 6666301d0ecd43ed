import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct MockNetworkTests {
    private let network = MockNetwork()

    @Test func theTestPlaysTheServer() throws {
        let future = network.request(Endpoint(path: "/products/7"))
        let call = try network.next()

        #expect(call.endpoint == Endpoint(path: "/products/7"))
        #expect(future.result == nil)
        call.answer(with: Data("seven".utf8))

        #expect(try future.settledValue() == Data("seven".utf8))
    }

    @Test func callsAreTakenInOrderOfArrivalAndAnsweredInAny() throws {
        let futures = (1...3).map { network.request(Endpoint(path: "/\($0)")) }
        let calls = try futures.map { _ in try network.next() }
        #expect(calls.map(\.endpoint.path) == ["/1", "/2", "/3"])
        #expect(calls.map(\.number) == [1, 2, 3])

        for call in calls.reversed() { call.answer(with: .text(call.endpoint.path)) }

        #expect(
            try futures.map { try $0.settledValue() } == ["/1", "/2", "/3"].map { Data($0.utf8) }
        )
        #expect(network.pending.isEmpty)
    }

    @Test func nextThrowsWhereNothingArrived() throws {
        let error = try #require(throws: MockError.self) { try network.next() }
        #expect(error.code == .noCall)
        #expect("\(error)".contains("no call has arrived; none had arrived before"))
        #expect("\(error)".contains("run the test in withVirtualTime"))

        _ = network.request(Endpoint(path: "/a"))
        try network.next().answer(with: .text(""))
        let second = try #require(throws: MockError.self) { try network.next() }
        #expect("\(second)".contains("1 had arrived before, the last was GET /a"))
        #expect(second.endpoints == [Endpoint(path: "/a")])
    }

    @Test func aMissingCallIsShownAtTheLineOfTheTestThatAskedForIt() throws {
        let line: UInt = #line + 1
        let missing = try #require(throws: MockError.self) { try network.next() }
        #expect(missing.location?.line == line)
        #expect(missing.location.map { "\($0.filePath)" } == #filePath)
        #expect("\(missing)".contains("(at \(#filePath):\(line):"))

        let future = network.request(Endpoint(path: "/"))
        let left = try #require(throws: MockError.self) { try network.finish() }
        #expect(left.location?.line == line + 6)
        try network.next().answer(with: Data())
        #expect(try future.settledValue() == Data())
    }

    @Test func nextWaitsForACallThatComesLater() async throws {
        async let first = network.next()
        async let second = network.next()
        let futures = [
            network.request(Endpoint(path: "/1")), network.request(Endpoint(path: "/2")),
        ]

        let calls = try await [first, second]
        #expect(Set(calls.map(\.endpoint.path)) == ["/1", "/2"])
        for call in calls { call.answer(with: .text(call.endpoint.path)) }

        #expect(try await futures[0].value == Data("/1".utf8))
        #expect(try await futures[1].value == Data("/2".utf8))
    }

    @Test func nextGivesUpAtItsLimit() async throws {
        let scheduler = ManualScheduler()
        let network = network
        let waiting = Future<MockCall> {
            try await network.next(within: .seconds(3), on: scheduler)
        }
        while scheduler.isIdle { await Task.yield() }

        scheduler.advance(by: .seconds(3))

        let result = await waiting.resultWhenSettled
        let error = try #require(throws: MockError.self) { try result.get() }
        #expect(error.code == .noCall)
        #expect("\(error)".hasPrefix("no call arrived within 3.0 seconds"))
        #expect(error.location.map { "\($0.filePath)" } == #filePath)
        let future = network.request(Endpoint(path: "/later"))
        try await network.next().answer(with: .text("still works"))
        #expect(try future.settledValue() == Data("still works".utf8))
    }

    @Test func pendingListsWhatIsUnanswered() throws {
        let futures = (1...4).map { network.request(Endpoint(path: "/\($0)")) }
        let first = try network.next(), second = try network.next()
        second.answer(with: .text(""))
        futures[2].cancel()

        #expect(
            network.pending.map(\.description)
                == ["call 1, GET /1, taken", "call 4, GET /4, not taken"]
        )
        #expect(
            "\(network)" == """
                4 calls received, 2 unanswered
                  call 1, GET /1, taken
                  call 4, GET /4, not taken
                """
        )
        #expect(first.isPending)
        #expect(network.received.map(\.path) == ["/1", "/2", "/3", "/4"])
    }

    @Test func finishListsWhatIsLeftAndRefusesWhatComes() throws {
        let early = network.request(Endpoint(path: "/early"))
        let error = try #require(throws: MockError.self) { try network.finish() }
        #expect(error.code == .unanswered)
        #expect("\(error)".contains("1 unanswered: call 1, GET /early, not taken"))

        let late = network.request(Endpoint(path: "/late"))

        let refusal = try #require(throws: MockError.self) { try late.settledValue() }
        #expect(refusal.code == .unexpectedCall)
        #expect(refusal.endpoints == [Endpoint(path: "/late")])
        try network.next().answer(with: .text("in time"))
        #expect(try early.settledValue() == Data("in time".utf8))
        try network.finish()
    }

    @Test func aReleasedNetworkAbandonsWhatNobodyTook() throws {
        var network: MockNetwork? = MockNetwork()
        let future = try #require(network).request(Endpoint(path: "/1"))

        network = nil

        let error = try #require(throws: MockError.self) { try future.settledValue() }
        #expect(error.code == .abandoned)
    }

    @Test func manyThreadsMayCallAndAnswer() async throws {
        let network = network
        let count = 1000
        let texts = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<count {
                group.addTask {
                    let data = try await network.request(Endpoint(path: "/\(index)")).value
                    return "\(index)" == String(decoding: data, as: UTF8.self) ? nil : "\(index)"
                }
                group.addTask {
                    let call = try await network.next()
                    call.answer(with: .text(String(call.endpoint.path.dropFirst())))
                    return nil
                }
            }
            return try await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
        }

        #expect(texts == [], "each caller gets its own answer")
        #expect(network.received.count == count)
        #expect(network.pending.isEmpty)
    }
}

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
            .redirect(), .retry(Retry(attempts: 2, backoff: .constant(.seconds(1))), on: scheduler),
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
        #expect(throws: Endpoint.Error.invalidHeader(name: "X")) {
            try future.settledValue()
        }
        #expect(network.received == [])
    }
}

import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import Testing

@Suite struct HTTPClientTests {
    private let server = URL(string: "https://api.example.com/v1")!

    /// Answers 200 to every request, except that it redirects "/v1/leave" to another origin.
    private let transport = MemoryTransport(routes: [
        .get(
            "/v1/leave",
            answer: .status(302, headers: ["Location": "https://evil.example/v1/taken"])),
        .any("/v1/:name", answer: .text("[1, 2]")),
        .any("/v1/:name/:more", answer: .text("[1, 2]")),
    ])

    private func client() -> HTTPClient { HTTPClient(base: server, over: transport) }

    private var sent: [HTTPRequest] { transport.calls.compactMap(\.request) }

    @Test func aClientNeedsOnlyABase() throws {
        let numbers: Future<[Int]> = client().networking(Endpoint(path: "/products")).decoded()
        #expect(try numbers.settledValue() == [1, 2])
        #expect(sent.map(\.url.absoluteString) == ["https://api.example.com/v1/products"])
        #expect(sent[0].headers["User-Agent"] == "Pledge/0.1")
        #expect(sent[0].headers["Accept-Encoding"]?.hasPrefix("gzip, deflate") == true)
    }

    /// 256 of them are in flight, the others wait.
    @Test func aThousandCallsAtOnceToAHealthyOriginLoseNone() throws {
        let scheduler = ManualScheduler()
        let (inFlight, most) = (Locked(0), Locked(0))
        var client = HTTPClient(base: server) { _ in
            let now = inFlight.withLock { inFlight in
                inFlight += 1
                return inFlight
            }
            most.withLock { $0 = max($0, now) }
            return Future(value: HTTPResponse(status: 200)).delay(.milliseconds(50), on: scheduler)
                .onEnd { _ in inFlight.withLock { $0 -= 1 } }
        }
        client.scheduler = scheduler
        let calls = (0..<1_000).map { _ in client.futures.send(HTTPRequest(server)) }
        scheduler.run()
        #expect(calls.allSatisfy { (try? $0.result?.get())?.status == 200 })
        #expect(most.withLock { $0 } == 256)
    }

    /// One of several hosts behind the origin hangs: its calls don't take the places of the others for longer than a lease.
    @Test func hangingCallsDoNotKeepOthersWaiting() throws {
        let scheduler = ManualScheduler()
        let hanging = Locked<[Promise<HTTPResponse>]>([])
        var client = HTTPClient(base: server) { request in
            if !request.url.path.hasSuffix("/hangs") {
                return Future(value: HTTPResponse(status: 200))
            }
            let promise = Promise<HTTPResponse>()
            hanging.withLock { $0.append(promise) }
            return promise
        }
        client.scheduler = scheduler
        let hung = (0..<300).map { _ in
            client.futures.send(HTTPRequest(server.appending(path: "hangs")))
        }
        #expect(hanging.withLock { $0.count } == 256)
        let call = client.futures.send(HTTPRequest(server.appending(path: "works")))
        #expect(!call.isSettled)
        scheduler.advance(by: .milliseconds(1_125))
        #expect(try call.settledValue().status == 200)
        #expect(hanging.withLock { $0.count } == 300)
        #expect(hung.allSatisfy { !$0.isSettled })
    }

    @Test func anOriginThatIsDownIsSoonNotAsked() throws {
        let scheduler = ManualScheduler()
        let (sent, elsewhere) = (Locked(0), URL(string: "https://other.example")!)
        var client = HTTPClient(base: server) { [server] request in
            if request.url.host == server.host { sent.withLock { $0 += 1 } }
            let isDown = request.url.host == server.host
            return Future(value: HTTPResponse(status: isDown ? 503 : 200))
        }
        client.scheduler = scheduler
        client.retry = nil
        client.acceptedStatuses = 200...299
        var refused = 0
        for _ in 0..<100 {
            if case .failure(let error as ServiceError) = client.futures.send(HTTPRequest(server))
                .result,
                error.code == .circuitOpen
            {
                refused += 1
            }
            let other = client.futures.send(HTTPRequest(elsewhere))
            #expect(try other.settledValue().status == 200)
            scheduler.advance(by: .milliseconds(50))
        }
        // Half a second of failures opens it; in the other 4.5 seconds there are some probes.
        #expect((11...16).contains(sent.withLock { $0 }))
        #expect(refused == 100 - sent.withLock { $0 })
    }

    @Test func jsonIsReadAndWrittenAsTheClientSays() throws {
        struct Order: Codable, Equatable, Sendable { var productName: String }
        let shop = MemoryTransport(routes: [
            .post("/v1/orders", answer: .text(#"{"product_name": "pen"}"#))
        ])
        var client = HTTPClient(base: server, over: shop)
        client.json = JSONCoding(
            encoding: { $0.keyEncodingStrategy = .convertToSnakeCase },
            decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        let order = { @Sendable [json = client.json] (name: String) throws -> Endpoint in
            Endpoint(
                path: "/orders", method: .post,
                body: try .json(Order(productName: name), using: json))
        }
        let send = chain(order, to: client.futures.send)
        #expect(try send("ink").decoded(as: Order.self).settledValue() == Order(productName: "pen"))
        let sent = try #require(shop.calls[0].request)
        #expect(
            sent.body
                == .data(Data(#"{"product_name":"ink"}"#.utf8), contentType: "application/json"))
    }

    @Test func whatCannotBeDecodedNamesTheRequest() throws {
        let product = client().futures.get("/products", as: [String].self)
        let failure = #expect(throws: DecodingFailure.self) { try product.settledValue() }
        #expect(failure?.response?.status == 200)
        #expect(
            failure.map { "\($0)" }?.hasSuffix(
                "(in 6 bytes that answered GET https://api.example.com/v1/products)") == true)
    }

    /// From the base to another origin, and from there back to a URL that the other one has chosen.
    @Test func whatAnotherOriginHasChosenGetsNoKeyAndNoToken() throws {
        let back = "https://api.example.com/v1/transfer"
        let site = MemoryTransport(routes: [
            .get(
                "/v1/leave", answer: .status(302, headers: ["Location": "https://evil.example/x"])),
            .get("/x", answer: .status(302, headers: ["Location": back])),
            .get("/v1/transfer", answer: .text("done")),
        ])
        var client = HTTPClient(base: server, over: site)
        client.headers = ["X-API-Key": "s3cret"]
        client.authorization = .bearer("t0ken")
        #expect(try client.networking(Endpoint(path: "/leave")).settledValue().count == 4)
        let requests = site.calls.compactMap(\.request)
        #expect(requests.map { $0.headers["X-API-Key"] } == ["s3cret", nil, nil])
        #expect(requests.map { $0.headers["Authorization"] } == ["Bearer t0ken", nil, nil])
    }

    @Test func theFormThatRenewsATokenStaysWithItsOrigin() throws {
        let site = MemoryTransport(routes: [
            .post(
                "/v1/token", answer: .status(307, headers: ["Location": "https://evil.example/x"])),
            .any("/x", answer: .text("taken")),
        ])
        let form = Endpoint(
            path: "/token", method: .post,
            body: .form(["grant_type": "refresh_token", "refresh_token": "s3cret"]))
        let future = HTTPClient(base: server, over: site).networking(form)
        let error = #expect(throws: HTTPError.self) { try future.settledValue() }
        #expect(error?.status == 307)
        #expect(site.calls.count == 1)
    }

    @Test func anErrorNamesThePlaceThatARedirectLedTo() throws {
        let moved = MemoryTransport(routes: [
            .get(
                "/v1/a", answer: .status(302, headers: ["Location": "https://b.example/c?t=s3cret"])
            ),
            .get("/c", answer: .status(404)),
        ])
        let future = HTTPClient(base: server, over: moved).networking(Endpoint(path: "/a"))
        let error = #expect(throws: HTTPError.self) { try future.settledValue() }
        #expect(
            error.map { "\($0)" }
                == "GET https://api.example.com/v1/a, sent as GET https://b.example/c?t=…, answered 404"
        )
    }

    @Test func everySlotOfAClientCanBeTurnedOff() throws {
        var client = client()
        client.userAgent = nil
        client.redirects = nil
        client.retry = nil
        client.attemptTimeout = nil
        client.decompressionLimit = nil
        client.acceptedStatuses = nil
        let response = try client.futures.send(HTTPRequest(server.appending(path: "leave")))
            .settledValue()
        #expect(response.status == 302)
        #expect(sent[0].headers.isEmpty)
    }

    @Test func aStatusIsTheSameErrorOnEveryWay() throws {
        let missing = MemoryTransport(routes: [.get("/v1/a", answer: .status(404))])
        var client = HTTPClient(base: server, over: missing)
        let (request, endpoint) = (HTTPRequest(server.appending(path: "a")), Endpoint(path: "/a"))
        func statuses() -> [Int?] {
            let whole: [Future<HTTPResponse>] = [
                client.futures.get("/a"), client.futures.send(request),
                client.futures.send(endpoint),
            ]
            let streamed = [client.futures.stream(request), client.futures.stream(endpoint)]
            return whole.map(statusOfError) + streamed.map(statusOfError)
                + [statusOfError(client.networking(endpoint))]
        }
        #expect(statuses() == Array(repeating: 404, count: 6))
        client.acceptedStatuses = 200...404
        #expect(statuses() == Array(repeating: nil, count: 6))
        client.acceptedStatuses = nil
        #expect(statuses() == Array(repeating: nil, count: 6))
        #expect(try client.futures.send(endpoint).settledValue().status == 404)
        #expect(try client.futures.stream(endpoint).settledValue().status == 404)
    }

    @Test func sendAndStreamResolveAnEndpointAgainstTheBase() throws {
        let list = HTTPResponse(
            status: 200, headers: ["Link": #"<?page=2>; rel="next""#], body: Data("[]".utf8))
        let transport = MemoryTransport(routes: [
            .get("/v1/a", answer: .response(list)), .get("/v1/b", answer: .status(404)),
        ])
        let client = HTTPClient(base: server, over: transport)
        let endpoint = Endpoint(path: "/a", headers: ["X-A": "b"])
        let next = URL(string: "https://api.example.com/v1/a?page=2")
        #expect(try client.futures.send(endpoint).settledValue().link("next") == next)
        #expect(try client.futures.stream(endpoint).settledValue().link("next") == next)
        #expect(transport.calls.map { $0.request?.headers["X-A"] } == ["b", "b"])
        let invalid = Endpoint(path: "/a", headers: ["not valid": "b"])
        #expect(errorOf(client.futures.send(invalid)) is Endpoint.Error)
        #expect(errorOf(client.futures.stream(invalid)) is Endpoint.Error)
        #expect(errorOf(HTTPClient(base: nil).futures.send(endpoint)) as? Endpoint.Error != nil)
        #expect(transport.calls.count == 2)
        guard let error = errorOf(client.futures.stream(Endpoint(path: "/b"))) as? HTTPError else {
            Issue.record("a route that is not there")
            return
        }
        #expect(error.endpoint?.path == "/b" && error.request?.url.path == "/v1/b")
    }

    @Test func headersAndCredentialsStayAtTheBasesOrigin() throws {
        var client = client()
        client.headers = ["X-API-Key": "k", "Accept": "application/json"]
        client.authorization = .bearer("t")
        _ = client.futures.send(HTTPRequest(server.appending(path: "leave")))
        _ = client.futures.send(HTTPRequest(URL(string: "https://evil.example/v1/asked")!))
        _ = client.futures.send(HTTPRequest(URL(string: "http://api.example.com/v1/plain")!))
        _ = client.futures.stream(HTTPRequest(server.appending(path: "leave")))
        _ = client.networking(Endpoint(url: URL(string: "https://evil.example/v1/whole")!))
        let withSecrets = sent.filter {
            $0.headers["X-API-Key"] != nil || $0.headers["Authorization"] != nil
        }
        #expect(sent.count == 7)
        #expect(withSecrets.map(\.url.path) == ["/v1/leave", "/v1/leave"])
        #expect(sent[1].url.path == "/v1/taken")
    }

    @Test func anotherOriginsCookiesStayAtHome() throws {
        let jar = CookieJar()
        jar.store("session=1", from: server)
        var client = client()
        client.cookies = jar
        _ = client.futures.send(HTTPRequest(URL(string: "https://evil.example/v1/asked")!))
        _ = client.futures.send(HTTPRequest(server.appending(path: "a")))
        #expect(sent.map { $0.headers["Cookie"] } == [nil, "session=1"])
    }

    /// A load balancer chooses a host by such a cookie, also for the request that follows.
    @Test func theCookiesOfARefusalAreKeptAndSentWithTheNewToken() throws {
        let refusing = MemoryTransport(routes: [
            .get(
                "/v1/a",
                answer: .sequence([
                    .status(401, headers: ["Set-Cookie": "host=7"]), .status(200),
                ]))
        ])
        var client = HTTPClient(base: server, over: refusing)
        client.cookies = CookieJar()
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("old")) { _ in Future(value: AccessToken("new")) })
        #expect(try client.networking(Endpoint(path: "/a")).settledValue().isEmpty)
        let sent = refusing.calls.compactMap(\.request)
        #expect(sent.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(sent.map { $0.headers["Cookie"] } == [nil, "host=7"])
        #expect(client.cookies?.cookies.count == 1)
    }

    @Test func theCookiesOfARedirectAreSentOn() throws {
        let login = MemoryTransport(routes: [
            .post(
                "/v1/login",
                answer: .status(303, headers: ["Location": "home", "Set-Cookie": "session=1"])),
            .get("/v1/home", answer: .text("hello")),
        ])
        var client = HTTPClient(base: server, over: login)
        client.cookies = CookieJar()
        let home = client.networking(Endpoint(path: "/login", method: .post))
        #expect(try home.settledValue().count == 5)
        #expect(login.calls.map { $0.request?.headers["Cookie"] } == [nil, "session=1"])
    }

    /// A proxy that fails says "gzip" of its plain text.
    @Test func aBodyThatDoesNotDecodeHidesNoStatus() throws {
        let plain: HTTPHeaders = ["Content-Encoding": "gzip", "Location": "b"]
        let site = MemoryTransport(routes: [
            .get(
                "/v1/a",
                answer: .sequence(
                    [503, 401, 302].map { .status($0, headers: plain, body: Data("no".utf8)) })),
            .get("/v1/b", answer: .text("found")),
        ])
        let scheduler = ManualScheduler()
        var client = HTTPClient(base: server, over: site)
        client.scheduler = scheduler
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("old")) { _ in Future(value: AccessToken("new")) })
        let found = client.futures.send(HTTPRequest(server.appending(path: "a")))
        scheduler.advance(by: .seconds(10))
        #expect(try found.settledValue().text == "found")
        #expect(
            site.calls.map { $0.request?.headers["Authorization"] }
                == ["Bearer old", "Bearer old", "Bearer new", "Bearer new"])
    }

    /// Its body comes a byte at a time, and the caller waits for the status.
    @Test func theBodyOfAnErrorIsReadForASecond() throws {
        struct Trickling: HTTPTransport {
            let scheduler: ManualScheduler

            func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
                let body = HTTPBodyStream { [scheduler] in
                    Future<Data?>(value: Data("x".utf8)).delay(.milliseconds(300), on: scheduler)
                }
                return Future(value: HTTPStreamedResponse(status: 403, body: body))
            }

            func send(_ request: HTTPRequest) -> Future<HTTPResponse> { Promise() }
        }
        let scheduler = ManualScheduler()
        var client = HTTPClient(base: server, over: Trickling(scheduler: scheduler))
        client.scheduler = scheduler
        client.acceptedStatuses = 200...299
        let call = client.futures.stream(HTTPRequest(server))
        scheduler.advance(by: .seconds(1))
        #expect(statusOfError(call) == 403)
    }

    @Test func withoutABaseHeadersGoWhereTheCallerSaysAndNoFurther() throws {
        var client = HTTPClient(base: nil, over: transport)
        client.headers = ["X-API-Key": "k"]
        client.authorization = .bearer("t")
        _ = client.futures.send(HTTPRequest(server.appending(path: "leave")))
        #expect(sent.map { $0.headers["X-API-Key"] } == ["k", nil])
        #expect(sent.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test func theTextsOfAClientShowNoSecret() {
        var client = HTTPClient(base: URL(string: "https://u:p4ss@a.example/")!, over: transport)
        client.headers = ["X-API-Key": "s3cret"]
        client.authorization = .basic(user: "me", password: "s3cret")
        var text = ""
        dump(client, to: &text)
        for text in [text, "\(client)", String(reflecting: client)] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("p4ss"))
            #expect(text.contains("https://a.example:443"))
        }
        let slots = client[dynamicMember: \.self]
        var dumped = ""
        dump(slots, to: &dumped)
        for text in [dumped, "\(slots)", String(reflecting: slots)] {
            #expect(!text.contains("s3cret") && !text.contains("p4ss"))
        }
    }

    @Test func aBaseThatCannotBeAskedIsNamedAsSuch() {
        #expect("\(HTTPClient(base: nil))" == "HTTPClient(no base)")
        let files = HTTPClient(base: URL(string: "ftp://a.example"))
        #expect("\(files)" == "HTTPClient(a base that is no http or https URL)")
    }

    private func errorOf<Value>(_ future: Future<Value>) -> (any Error)? {
        if case .failure(let error) = future.result { error } else { nil }
    }

    private func statusOfError<Value>(_ future: Future<Value>) -> Int? {
        guard case .failure(let error as HTTPError) = future.result else { return nil }
        return error.status
    }
}

@Suite struct LazyFunctionsTests {
    private let server = URL(string: "https://a.example")!
    private let other = URL(string: "https://b.example")!
    private let scheduler = ManualScheduler()

    /// A client whose server "a" always fails; counts the requests to the servers.
    private func client(_ count: Locked<Int>) -> HTTPClient {
        var client = HTTPClient(base: server) { request in
            count.withLock { $0 += 1 }
            return Future(
                value: HTTPResponse(status: request.url.host == "a.example" ? 503 : 200))
        }
        client.scheduler = scheduler
        client.retry = nil
        client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 5, lasting: .zero))
        return client
    }

    private func trip(_ client: HTTPClient) {
        for _ in 0..<5 { _ = client.futures.send(HTTPRequest(server)) }
    }

    private func code<Value>(of future: Future<Value>) -> ServiceError.Code? {
        guard case .failure(let error as ServiceError) = future.result else { return nil }
        return error.code
    }

    @Test func eachOriginHasABreakerOfItsOwn() throws {
        let count = Locked(0)
        let client = client(count)
        trip(client)
        #expect(code(of: client.futures.send(HTTPRequest(server))) == .circuitOpen)
        #expect(try client.futures.send(HTTPRequest(other)).settledValue().status == 200)
        #expect(count.withLock { $0 } == 6)
    }

    @Test func streamAndSendShareTheBreaker() {
        let count = Locked(0)
        let client = client(count)
        trip(client)
        #expect(code(of: client.futures.stream(HTTPRequest(server))) == .circuitOpen)
        #expect(count.withLock { $0 } == 5)
    }

    @Test func copiesShareTheBreakerUntilItsSlotIsChanged() {
        let count = Locked(0)
        let client = client(count)
        var copy = client
        trip(client)
        #expect(code(of: copy.futures.send(HTTPRequest(server))) == .circuitOpen)
        copy.userAgent = "another"
        copy.retry = .init()
        #expect(code(of: copy.futures.send(HTTPRequest(server))) == .circuitOpen)
        copy.circuitBreaker = .perOrigin(CircuitBreaker())
        #expect(code(of: copy.futures.send(HTTPRequest(server))) == nil)
        #expect(code(of: client.futures.send(HTTPRequest(server))) == .circuitOpen)
    }

    @Test func aSharedBreakerIsForAllOrigins() {
        let count = Locked(0)
        var client = client(count)
        client.circuitBreaker = CircuitBreaker(failuresInARow: 5, lasting: .zero, on: scheduler)
        trip(client)
        #expect(code(of: client.futures.send(HTTPRequest(other))) == .circuitOpen)
    }

    @Test func manyThreadsThatComeFirstShareOneBudget() async throws {
        let count = Locked(0)
        var client = HTTPClient(base: server) { _ in
            count.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 503))
        }
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        let shared = client
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try? await shared.send(HTTPRequest(self.server)) }
            }
        }
        // One budget allows a retry of each of eight calls.
        #expect(count.withLock { $0 } == 16)
        #expect(shared.futures.send(HTTPRequest(server)).result != nil)
    }

    @Test func theLogHasALineForEachExchange() throws {
        let lines = Locked<[String]>([])
        var client = client(Locked(0))
        client.circuitBreaker = nil
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        client.headers = ["X-API-Key": "s3cret"]
        client.log = .init(headers: true, events: true) { line in lines.withLock { $0.append(line) }
        }
        _ = client.futures.send(HTTPRequest(server))
        let all = lines.withLock { $0 }
        #expect(all.filter { $0.contains("status=503") }.count == 2)
        #expect(all.contains { $0.contains("event=retrying") })
        #expect(!all.contains { $0.contains("s3cret") })
    }

    @Test func observersHearOfWhatTheCallerGets() {
        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 404)) }
        client.observers = [metrics.observer, recorder.observer]
        #expect(throws: HTTPError.self) {
            try client.networking(Endpoint(path: "/a")).settledValue()
        }
        let counted =
            #"pledge_call_duration_seconds_count{call="GET a.example",outcome="failure"} 1"#
        #expect(metrics.prometheusText.contains(counted))
        #expect(metrics.prometheusText.contains(#"health="healthy"} 1"#))
        #expect(recorder.lastCall?.waterfall(width: 20).contains("code=404 health=healthy") == true)
        // Where the status is accepted, the caller gets a response.
        client.acceptedStatuses = nil
        _ = client.futures.send(HTTPRequest(server))
        #expect(metrics.prometheusText.contains(#"outcome="success"} 1"#))
    }

    @Test func aFallbackAroundTheClientIsInItsMetrics() async throws {
        let metrics = ServiceMetrics()
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 404)) }
        client.observers = [metrics.observer]
        let lazily = stack(.fallback(Data()), over: client.networking)
        #expect(try lazily(Endpoint(path: "/a")).settledValue() == Data())
        let awaiting = stack(.fallback(Data())) { [client] (path: String) in
            Future { try await client.networking(Endpoint(path: "/a")).value }
        }
        #expect(try await awaiting("/a").value == Data())
        let text = metrics.prometheusText
        #expect(text.contains(#"policy="fallback",event="fell_back",reason=""} 2"#))
        #expect(text.contains(#"_count{call="GET a.example",outcome="failure"} 2"#))
    }

    @Test func bothFunctionsShareABreaker() {
        let count = Locked(0)
        let client = client(count)
        for _ in 1...10 { _ = client.networking(Endpoint(path: "/a")) }
        let before = count.withLock { $0 }
        #expect(code(of: client.futures.send(HTTPRequest(server))) == .circuitOpen)
        #expect(count.withLock { $0 } == before)
    }

    @Test func metricsCountByMethodAndHost() {
        var client = client(Locked(0))
        let metrics = ServiceMetrics()
        client.observers = [metrics.observer]
        _ = client.futures.send(HTTPRequest(other.appending(path: "secret")))
        let text = metrics.prometheusText
        #expect(text.contains(#"call="GET b.example""#))
        #expect(!text.contains("secret"))
    }
}

@Suite struct FunctionTransportTests {
    private let server = URL(string: "https://api.example.com/v1")!
    private let scheduler = ManualScheduler()

    @Test func aFunctionIsATransportToo() throws {
        let client = HTTPClient(base: server) { request in
            Future(value: HTTPResponse(status: 200, body: Data(request.url.path.utf8)))
        }
        let request = HTTPRequest(server.appending(path: "a"))
        #expect(try client.futures.send(request).settledValue().text == "/v1/a")
        let streamed = try client.futures.stream(request).settledValue()
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

import Dispatch
import Futures
import Pledge
import PledgeTesting
import Testing

/// The code of Docs/Guides/RequestsInOrder.md: three requests, each after the answer of the last.
@Suite(.timeLimit(.minutes(10)))
struct RequestsInOrderExamples {
    struct Route: Codable, Equatable, Sendable {
        var path: String
    }

    struct Login: Codable, Equatable, Sendable {
        var id: Int
    }

    struct Auth: Codable, Equatable, Sendable {
        var token: String
    }

    /// A client as the article has it: it takes a completion handler.
    struct Client: Sendable {
        let networking: Networking

        func send<Response: Decodable & Sendable>(
            _ endpoint: Endpoint,
            completion: @escaping @Sendable (Result<Response, any Error>) -> Void
        ) {
            networking(endpoint).decoded().observe(completion)
        }
    }

    let network = MockNetwork()
    let log = ExampleLog()

    private func answerAll() throws {
        let route = try network.next()
        #expect(network.pending.count == 1)
        #expect(route.endpoint == Endpoint(path: "/route"))
        try route.answer(with: .json(Route(path: "/north")))
        let login = try network.next()
        #expect(login.endpoint == Endpoint(path: "/north"))
        try login.answer(with: .json(Login(id: 7)))
        let auth = try network.next()
        #expect(auth.endpoint == Endpoint(path: "/auth/7"))
        try auth.answer(with: .json(Auth(token: "t")))
        try network.finish()
    }

    @Test func nested() throws {
        let client = Client(networking: network.request)
        let log = log
        // snippet: nested
        @Sendable func authorize(completion: @escaping @Sendable (Result<Auth, any Error>) -> Void)
        {
            client.send(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
                switch result {
                case .success(let route):
                    client.send(Endpoint(path: route.path)) { (result: Result<Login, any Error>) in
                        switch result {
                        case .success(let login):
                            client.send(Endpoint(path: "/auth/\(login.id)"), completion: completion)
                        case .failure(let error):
                            completion(.failure(error))
                        }
                    }
                case .failure(let error):
                    completion(.failure(error))
                }
            }
        }
        // end snippet
        authorize { log.add("\($0.map(\.token))") }
        try answerAll()
        #expect(log.lines == [#"success("t")"#])
    }

    // snippet: split
    struct Authorization: Sendable {
        typealias Completion = @Sendable (Result<Auth, any Error>) -> Void

        let client: Client

        func authorize(completion: @escaping Completion) {
            client.send(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
                switch result {
                case .success(let route): logIn(route, completion: completion)
                case .failure(let error): completion(.failure(error))
                }
            }
        }

        private func logIn(_ route: Route, completion: @escaping Completion) {
            client.send(Endpoint(path: route.path)) { (result: Result<Login, any Error>) in
                switch result {
                case .success(let login): obtain(login, completion: completion)
                case .failure(let error): completion(.failure(error))
                }
            }
        }

        private func obtain(_ login: Login, completion: @escaping Completion) {
            client.send(Endpoint(path: "/auth/\(login.id)"), completion: completion)
        }
    }
    // end snippet

    @Test func split() throws {
        Authorization(client: Client(networking: network.request))
            .authorize { [log] in log.add("\($0.map(\.token))") }
        try answerAll()
        #expect(log.lines == [#"success("t")"#])
    }

    @Test func flat() throws {
        let networking: Networking = network.request
        // snippet: flat
        @Sendable func load<Response: Decodable & Sendable>(_ path: String) -> Future<Response> {
            networking(Endpoint(path: path)).decoded()
        }

        let authorized: Future<Auth> = load("/route")
            .flatMap { (route: Route) in load(route.path) }
            .flatMap { (login: Login) in load("/auth/\(login.id)") }
        // end snippet
        try answerAll()
        #expect(try authorized.settledValue() == Auth(token: "t"))
    }

    @Test func declared() throws {
        let (network, log) = (network, log)
        // snippet: declared
        let state = RequestState(networking: network.request)
        state.sendRequest(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
            log.add("first \(result.map(\.path))")
        }
        state.sendRequest(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
            log.add("second \(result.map(\.id))")
        }
        state.finished.observe { _ in log.add("finished") }
        #expect(network.received == [Endpoint(path: "/route")])

        try network.next().answer(with: .json(Route(path: "/north")))
        #expect(log.lines == [#"first success("/north")"#])
        try network.next().answer(with: .json(Login(id: 7)))
        #expect(log.lines.dropFirst() == ["second success(7)", "finished"])
        // end snippet
    }

    @Test func actions() throws {
        let (network, log) = (network, log)
        // snippet: actions
        let requests: [RequestAction] = [
            .send(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
                log.add("\(result.map(\.path))")
            },
            .send(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
                log.add("\(result.map(\.id))")
            },
        ]
        let reducer = Reducer<RequestState, RequestAction>.requests()
        var state = RequestState(networking: network.request)
        for request in requests { reducer.reduce(&state, request) }
        // end snippet
        try network.next().answer(with: .json(Route(path: "/north")))
        try network.next().answer(with: .json(Login(id: 7)))
        #expect(log.lines == [#"success("/north")"#, "success(7)"])
    }

    @Test func stops() throws {
        let (network, log) = (network, log)
        // snippet: stop
        let state = RequestState(networking: network.request)
        state.sendRequest(Endpoint(path: "/route")) { (_: Result<Route, any Error>) in }
        state.sendRequest(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
            if case .failure(let error as RequestNotSent) = result { log.add("\(error)") }
        }
        try network.next().answer(with: .status(503))

        let reason = "GET /route answered 503"
        #expect(log.lines == ["request 2 was not sent, because one before it failed: \(reason)"])
        #expect(throws: HTTPError.self) { try state.finished.settledValue() }
        // end snippet
        #expect(network.received.count == 1)
    }

    @Test func resumes() throws {
        let (network, log) = (network, log)
        // snippet: resume
        let state = RequestState(networking: network.request)
        for path in ["/route", "/login", "/auth"] {
            state.sendRequest(Endpoint(path: path)) { (result: Result<Route, any Error>) in
                if case .success(let answer) = result { log.add(answer.path) }
            }
        }
        try network.next().answer(with: .json(Route(path: "/north")))
        try network.next().answer(with: .status(503))
        #expect(state.failures.count == 1)

        let end = state.resume()
        try network.next().answer(with: .json(Route(path: "/logged-in")))
        try network.next().answer(with: .json(Route(path: "/authorized")))
        try end.settledValue()
        #expect(log.lines == ["/north", "/logged-in", "/authorized"])
        #expect(network.received.map(\.path) == ["/route", "/login", "/login", "/auth"])
        // end snippet
    }

    @Test func goesOn() throws {
        let network = network
        // snippet: go-on
        let state = RequestState(networking: network.request, onFailure: .goOn)
        state.sendRequest(Endpoint(path: "/route"))
        state.sendRequest(Endpoint(path: "/login"))
        try network.next().answer(with: .status(503))
        try network.next().answer(with: .json(Login(id: 7)))

        try state.finished.settledValue()
        #expect(state.failures.count == 1)
        // end snippet
    }

    // snippet: semaphore
    final class Blocking: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        let send: @Sendable (String, @escaping @Sendable (String) -> Void) -> Void

        init(
            send: @escaping @Sendable (String, @escaping @Sendable (String) -> Void) -> Void
        ) {
            self.send = send
        }

        func sendRequest(
            _ request: String, completion: @escaping @Sendable (String) -> Void
        ) -> DispatchTimeoutResult {
            send(request) { result in
                completion(result)
                self.semaphore.signal()
            }
            // The article waits without a limit.
            return semaphore.wait(timeout: .now() + .milliseconds(50))
        }
    }
    // end snippet

    @Test func semaphore() {
        let log = log
        // snippet: deadlock
        let queue = DispatchQueue(label: "answers")
        let state = Blocking { request, completion in
            queue.async { completion("answer to \(request)") }
        }

        let outcome = queue.sync {
            state.sendRequest("first") { log.add($0) }
        }

        #expect(outcome == .timedOut)
        // end snippet
        queue.sync {}
        #expect(log.lines == ["answer to first"])
        let elsewhere = state.sendRequest("second") { log.add($0) }
        #expect(elsewhere == .success)
    }
}

// snippet: dispatch
import Dispatch
// end snippet
// snippet: imports
import PledgeArticles
// end snippet
import PledgeFutures
// snippet: testing
import PledgeTesting
// end snippet
import TestSupport
import Testing

/// The code of Docs/Guides/RequestsInOrder.md: three requests, each after the answer of the last.
@Suite(.oneAtATime)
struct RequestsInOrderExamples {
    // snippet: answers
    struct Route: Codable, Equatable, Sendable {
        var path: String
    }

    struct Login: Codable, Equatable, Sendable {
        var id: Int
    }

    struct Auth: Codable, Equatable, Sendable {
        var token: String
    }
    // end snippet

    // snippet: client
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
    // end snippet

    let network = MockNetwork()
    let log = ExampleLog()

    /// Prints into the log.
    private var print: @Sendable (Any) -> Void { { [log] in log.add("\($0)") } }

    private func answerAll() throws {
        let route = try network.next()
        #expect(network.pending.count == 1)
        #expect(route.endpoint == Endpoint(path: "/route"))
        route.answer(with: .json(Route(path: "/north")))
        let login = try network.next()
        #expect(login.endpoint == Endpoint(path: "/north"))
        login.answer(with: .json(Login(id: 7)))
        let auth = try network.next()
        #expect(auth.endpoint == Endpoint(path: "/auth/7"))
        auth.answer(with: .json(Auth(token: "t")))
        try network.finish()
    }

    // snippet: nested
    func authorize(
        with client: Client, completion: @escaping @Sendable (Result<Auth, any Error>) -> Void
    ) {
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

    @Test func nested() throws {
        authorize(with: Client(networking: network.request)) { print($0.map(\.token)) }
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
            .authorize { print($0.map(\.token)) }
        try answerAll()
        #expect(log.lines == [#"success("t")"#])
    }

    // snippet: flat
    func authorize(over networking: @escaping Networking) -> Future<Auth> {
        @Sendable func load<Response: Decodable & Sendable>(_ path: String) -> Future<Response> {
            networking(Endpoint(path: path)).decoded()
        }
        return load("/route")
            .flatMap { (route: Route) in load(route.path) }
            .flatMap { (login: Login) in load("/auth/\(login.id)") }
    }
    // end snippet

    @Test func flat() throws {
        let authorized = authorize(over: network.request)
        try answerAll()
        #expect(try authorized.settledValue() == Auth(token: "t"))
    }

    @Test func declared() async throws {
        // snippet: declared
        let network = MockNetwork()
        let state = RequestState(networking: network.request)
        state.sendRequest(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
            print("first: \(result.map(\.path))")
        }
        state.sendRequest(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
            print("second: \(result.map(\.id))")
        }
        state.finished.observe { _ in print("finished") }
        print(network.received.map(\.path))

        try await network.next().answer(with: .json(Route(path: "/north")))
        print(network.received.map(\.path))
        try await network.next().answer(with: .json(Login(id: 7)))
        // end snippet
        let output = """
            ["/route"]
            first: success("/north")
            ["/route", "/login"]
            second: success(7)
            finished
            """
        #expect(log.lines.joined(separator: "\n") == output)
    }

    @Test func actions() async throws {
        // snippet: actions
        let network = MockNetwork()
        let requests: [RequestAction] = [
            .send(Endpoint(path: "/route")) { (result: Result<Route, any Error>) in
                print(result.map(\.path))
            },
            .send(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
                print(result.map(\.id))
            },
        ]
        let reducer = Reducer<RequestState, RequestAction>.requests()
        var state = RequestState(networking: network.request)
        for request in requests { reducer.reduce(&state, request) }
        // end snippet
        try await network.next().answer(with: .json(Route(path: "/north")))
        try await network.next().answer(with: .json(Login(id: 7)))
        #expect(log.lines == [#"success("/north")"#, "success(7)"])
    }

    @Test func stops() async throws {
        // snippet: stop
        let network = MockNetwork()
        let state = RequestState(networking: network.request)
        state.sendRequest(Endpoint(path: "/route"))
        state.sendRequest(Endpoint(path: "/login")) { (result: Result<Login, any Error>) in
            if case .failure(let error as RequestNotSent) = result { print(error) }
        }
        state.finished.onFailure { error in print("finished: \(error)") }
        try await network.next().answer(with: .status(503))
        // end snippet
        let output = """
            request 2 was not sent, because one before it failed: GET /route answered 503
            finished: GET /route answered 503
            """
        #expect(log.lines.joined(separator: "\n") == output)
        #expect(network.received.count == 1)
    }

    @Test func resumes() async throws {
        // snippet: resume
        let network = MockNetwork()
        let state = RequestState(networking: network.request)
        for path in ["/route", "/login", "/auth"] {
            state.sendRequest(Endpoint(path: path)) { (result: Result<Route, any Error>) in
                if case .success(let answer) = result { print(answer.path) }
            }
        }
        try await network.next().answer(with: .json(Route(path: "/north")))
        try await network.next().answer(with: .status(503))
        print(state.failures.count)

        let end = state.resume()
        try await network.next().answer(with: .json(Route(path: "/logged-in")))
        try await network.next().answer(with: .json(Route(path: "/authorized")))
        try await end.value
        print(network.received.map(\.path))
        // end snippet
        let output = """
            /north
            1
            /logged-in
            /authorized
            ["/route", "/login", "/login", "/auth"]
            """
        #expect(log.lines.joined(separator: "\n") == output)
    }

    @Test func goesOn() async throws {
        // snippet: go-on
        let network = MockNetwork()
        let state = RequestState(networking: network.request, onFailure: .goOn)
        state.sendRequest(Endpoint(path: "/route"))
        state.sendRequest(Endpoint(path: "/login"))
        try await network.next().answer(with: .status(503))
        try await network.next().answer(with: .json(Login(id: 7)))

        try await state.finished.value
        print(state.failures.count)  // 1
        // end snippet
        #expect(log.lines == ["1"])
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
        // snippet: deadlock
        let queue = DispatchQueue(label: "answers")
        let state = Blocking { request, completion in
            queue.async { completion("answer to \(request)") }
        }

        let outcome = queue.sync {
            state.sendRequest("first") { print($0) }
        }

        print(outcome == .timedOut)  // true
        // end snippet
        #expect(outcome == .timedOut)
        queue.sync {}
        #expect(Set(log.lines) == ["true", "answer to first"])
        let elsewhere = state.sendRequest("second") { print($0) }
        #expect(elsewhere == .success)
    }
}

// snippet: imports
import PledgeArticles
// end snippet
import Testing

/// The code of Docs/Guides/CallbackActions.md.
@Suite struct CallbackActionsExamples {
    // snippet: server
    struct Login: Sendable {
        var name: String
        var password: String
    }

    /// A server that answers after two seconds of its scheduler's time.
    final class Server: Sendable {
        let scheduler = ManualScheduler()

        func send(_ login: Login, completion: @escaping @Sendable (String) -> Void) {
            scheduler.schedule(after: .seconds(2)) {
                completion(login.password == "123" ? "welcome:\(login.name)" : "refused")
            }
        }
    }
    // end snippet

    private let server = Server()
    private let screen = ExampleLog()
    private let tangent = Login(name: "Tangent", password: "123")

    /// What the examples print.
    private var print: @Sendable (String) -> Void { { [screen] in screen.add($0) } }

    let parse: Action<String, [String]> = { text, callback in
        callback(text.split(separator: ":").map(String.init))
    }

    var logIn: Action<Login, String> {
        { [server] login, callback in server.send(login, completion: callback) }
    }

    @Test func action() {
        // snippet: action
        let server = Server()
        let tangent = Login(name: "Tangent", password: "123")
        let logIn: Action<Login, String> = { login, callback in
            server.send(login) { answer in callback(answer) }
        }

        logIn(tangent) { answer in print(answer) }
        server.scheduler.run()
        // end snippet
        #expect(screen.lines == ["welcome:Tangent"])
    }

    @Test func composed() {
        // snippet: compose
        let parse: Action<String, [String]> = { text, callback in
            callback(text.split(separator: ":").map(String.init))
        }
        let session = logIn >- parse  // Action<Login, [String]>

        session(tangent) { words in print(words[0]) }
        // end snippet
        server.scheduler.run()
        #expect(screen.lines == ["welcome"])
    }

    @Test func executed() {
        // snippet: exec
        let request = logIn >- parse <- { words in print(words[0]) }

        request(tangent)
        // end snippet
        server.scheduler.run()
        #expect(screen.lines == ["welcome"])
    }

    @Test func promised() {
        // snippet: promise
        ActionPromise<String, String> { input, callback in callback(input + " Two") }
            .then { input, callback in callback(input + " Three") }
            .then { input, callback in callback(input + " Four") }
            .exec(input: "One") { result in print(result) }
        // end snippet
        #expect(screen.lines == ["One Two Three Four"])
    }

    @Test func toFuture() throws {
        // snippet: future
        let session = asFuture(logIn >- parse)  // (Login) -> Future<[String]>
        let name = session(tangent).map { words in words[1] }
        // end snippet
        #expect(name.result == nil)
        server.scheduler.run()
        #expect(try name.result?.get() == "Tangent")
    }

    @Test func unwrapped() throws {
        // snippet: unwrapping
        struct Refused: Error, Equatable {
            var name: String
        }

        let check: Action<Login, Result<String, Refused>> = { login, callback in
            callback(
                login.password == "123" ? .success("hello") : .failure(Refused(name: login.name))
            )
        }
        let session = asFuture(unwrapping: check)  // (Login) -> Future<String>
        // end snippet
        #expect(try session(tangent).result?.get() == "hello")
        #expect(throws: Refused(name: "Tan")) {
            try session(Login(name: "Tan", password: "")).result?.get()
        }
    }

    @Test func abandoned() {
        // snippet: abandoned
        let forgetful: Action<Int, Int> = { input, callback in
            guard input > 0 else { return }  // the callback goes, uncalled
            callback(input)
        }
        let future = asFuture(forgetful)(0)
        // end snippet
        let error = #expect(throws: FutureError.self) { try future.result?.get() }
        #expect(error?.code == .abandoned)
    }

    @Test func toAction() {
        // snippet: calling-back
        let load: @Sendable (Int) -> Future<String> = { Future(value: "book \($0)") }
        let request =
            asCallback(load) <- { result in
                switch result {
                case .success(let book): print(book)
                case .failure(let error): print("no book: \(error)")
                }
            }
        request(7)
        // end snippet
        #expect(screen.lines == ["book 7"])
    }

    // snippet: events
    struct ButtonEvents: OptionSet {
        let rawValue: Int

        static let touchDown = ButtonEvents(rawValue: 1)
        static let touchUpInside = ButtonEvents(rawValue: 2)
    }
    // end snippet

    @Test func bound() {
        let tangent = tangent
        // snippet: bind
        let fetchLogin: Action<(), Login> = { _, callback in callback(tangent) }
        let loginRequest = fetchLogin >- logIn >- parse <- { words in print(words[0]) }

        let button = EventSource<ButtonEvents>()
        button.bind(events: .touchUpInside, for: loginRequest)
        let highlight = button.bind(events: [.touchDown, .touchUpInside]) { print("touched") }

        button.send(.touchUpInside)  // both handlers, in the order of binding
        highlight.cancel()
        button.send(.touchUpInside)  // the first one alone
        // end snippet
        #expect(screen.lines == ["touched"])
        server.scheduler.run()
        #expect(screen.lines == ["touched", "welcome", "welcome"])
    }

    // snippet: main-actor
    @MainActor final class LoginController {
        var name = ""
        var tip = ""

        var fetchLogin: Action<(), Login> {
            { [weak self] _, callback in
                Task { @MainActor in
                    guard let self, !self.name.isEmpty else { return }
                    callback(Login(name: self.name, password: "123"))
                }
            }
        }

        var render: @Sendable ([String]) -> Void {
            { [weak self] words in
                Task { @MainActor in self?.tip = words[0] }
            }
        }
    }
    // end snippet

    @Test @MainActor func controller() async throws {
        let controller = LoginController()
        controller.name = "Tangent"
        let direct: Action<Login, String> = { login, callback in callback("hello:\(login.name)") }
        let words = try await asFuture(controller.fetchLogin >- direct >- parse)(()).value
        #expect(words == ["hello", "Tangent"])
        controller.render(words)
        for _ in 0..<100_000 where controller.tip.isEmpty { await Task.yield() }
        #expect(controller.tip == "hello")
    }
}

import Futures
import Pledge
import Testing

/// The code of Docs/Guides/CallbackActions.md.
@Suite struct CallbackActionsExamples {
    struct Login: Sendable {
        var name: String
        var password: String
    }

    struct Refused: Error, Equatable {
        var name: String
    }

    /// What the examples print.
    final class Screen: Sendable {
        private let shown = Locked<[String]>([])

        var lines: [String] { shown.withLock { $0 } }

        func show(_ line: String) { shown.withLock { $0.append(line) } }
    }

    /// A server that answers when the test's clock says so.
    final class Server: Sendable {
        let scheduler = ManualScheduler()

        func send(_ login: Login, completion: @escaping @Sendable (String) -> Void) {
            scheduler.schedule(after: .seconds(2)) {
                completion(login.password == "123" ? "welcome:\(login.name)" : "refused")
            }
        }
    }

    let server = Server()
    let screen = Screen()
    let tangent = Login(name: "Tangent", password: "123")

    let parse: Action<String, [String]> = { text, callback in
        callback(text.split(separator: ":").map(String.init))
    }

    var logIn: Action<Login, String> {
        { [server] login, callback in server.send(login, completion: callback) }
    }

    @Test func action() {
        let (server, screen) = (server, screen)
        // snippet: action
        let logIn: Action<Login, String> = { login, callback in
            server.send(login) { answer in callback(answer) }
        }

        logIn(tangent) { answer in screen.show(answer) }
        // end snippet
        server.scheduler.run()
        #expect(screen.lines == ["welcome:Tangent"])
    }

    @Test func composed() {
        let screen = screen
        // snippet: compose
        let session = logIn >- parse  // Action<Login, [String]>

        session(tangent) { words in screen.show(words[0]) }
        // end snippet
        server.scheduler.run()
        #expect(screen.lines == ["welcome"])
    }

    @Test func executed() {
        let screen = screen
        // snippet: exec
        let request = logIn >- parse <- { words in screen.show(words[0]) }

        request(tangent)
        // end snippet
        server.scheduler.run()
        #expect(screen.lines == ["welcome"])
    }

    @Test func promised() {
        let screen = screen
        // snippet: promise
        ActionPromise<String, String> { input, callback in callback(input + " Two") }
            .then { input, callback in callback(input + " Three") }
            .then { input, callback in callback(input + " Four") }
            .exec(input: "One") { result in screen.show(result) }
        // end snippet
        #expect(screen.lines == ["One Two Three Four"])
    }

    @Test func toFuture() throws {
        // snippet: future
        let session = returningFuture(logIn >- parse)  // (Login) -> Future<[String]>
        let name = session(tangent).map { words in words[1] }
        // end snippet
        #expect(name.result == nil)
        server.scheduler.run()
        #expect(try name.result?.get() == "Tangent")
    }

    @Test func unwrapped() throws {
        // snippet: unwrapping
        let check: Action<Login, Result<String, Refused>> = { login, callback in
            callback(
                login.password == "123" ? .success("hello") : .failure(Refused(name: login.name))
            )
        }
        let session = returningFuture(unwrapping: check)  // (Login) -> Future<String>
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
        let future = returningFuture(forgetful)(0)
        // end snippet
        let error = #expect(throws: FutureError.self) { try future.result?.get() }
        #expect(error?.code == .abandoned)
    }

    @Test func toAction() {
        let screen = screen
        let load: @Sendable (Int) -> Future<String> = { Future(value: "book \($0)") }
        // snippet: calling-back
        let request =
            callingBack(load) <- { result in
                switch result {
                case .success(let book): screen.show(book)
                case .failure(let error): screen.show("no book: \(error)")
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
        let (screen, tangent) = (screen, tangent)
        // snippet: bind
        let fetchLogin: Action<(), Login> = { _, callback in callback(tangent) }
        let loginRequest = fetchLogin >- logIn >- parse <- { words in screen.show(words[0]) }

        let button = EventSource<ButtonEvents>()
        button.bind(events: .touchUpInside, for: loginRequest)
        let highlight = button.bind(events: [.touchDown, .touchUpInside]) { screen.show("touched") }

        button.send(.touchUpInside)  // both handlers, in the order of binding
        highlight.unbind()
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
        let words = try await returningFuture(controller.fetchLogin >- direct >- parse)(()).value
        #expect(words == ["hello", "Tangent"])
        controller.render(words)
        for _ in 0..<100_000 where controller.tip.isEmpty { await Task.yield() }
        #expect(controller.tip == "hello")
    }
}

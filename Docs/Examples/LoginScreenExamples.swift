import Foundation
import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

/// The login screen of Docs/Guides/ModellingState.md.
@MainActor @Suite(.oneAtATime)
struct LoginScreenExamples {
    // snippet: login
    struct Login: Equatable, Sendable {
        var username = ""
        var user = Loadable<String, Refused>.idle
    }

    struct Refused: Error, Equatable {}

    enum LoginEvent: Equatable, Sendable {
        case typed(String)
        case tappedLogin
        case answered(Result<String, Refused>)
    }
    // end snippet

    // snippet: login-effects
    struct LoginService: Sendable {
        let logIn: @Sendable (String) -> Future<String>

        func reduce(_ login: inout Login, _ event: LoginEvent) -> Effect<LoginEvent> {
            switch event {
            case .typed(let text):
                login.username = text
            case .tappedLogin:
                login.user.startLoading()
                let username = login.username
                return .request(logIn(username)) { result in
                    .answered(result.mapError { _ in Refused() })
                }.id("login")
            case .answered(let result):
                login.user.finishLoading(with: result)
            }
            return .none
        }
    }
    // end snippet

    // snippet: screen
    @MainActor
    final class LoginViewController {
        private let store: Store<Login, LoginEvent>
        private var subscription: ScopedObserver?
        private(set) var redrawn: [String] = []

        init(store: Store<Login, LoginEvent>) { self.store = store }

        func viewDidLoad() {
            subscription = store.subscribe(on: MainActor.shared) { [weak self] old, new in
                if old?.username != new.username { self?.redrawn.append("name \(new.username)") }
                if old?.user != new.user { self?.redrawn.append("user \(new.user.value ?? "-")") }
            }.scoped()
        }

        func textFieldDidChange(_ text: String) { store.dispatch(.typed(text)) }

        func loginButtonTapped() { store.dispatch(.tappedLogin) }
    }
    // end snippet

    // snippet: drawn
    /// Lets the calls run that are on their way to the main actor.
    @MainActor func drawn() async throws {
        let done = Promise<Void>(value: ())
        let next = Promise<Void>()
        done.observe(on: MainActor.shared) { _ in next.resolve(with: ()) }
        try await next.value
    }
    // end snippet

    @Test func loginScreen() async throws {
        // snippet: screen-store
        let answer = Promise<String>()
        let service = LoginService(logIn: { _ in answer })
        let store = Store(initialState: Login(), reducer: Reducer(effects: service.reduce))
        // end snippet
        weak var gone: LoginViewController?
        do {
            // snippet: screen-test
            let screen = LoginViewController(store: store)
            screen.viewDidLoad()
            screen.textFieldDidChange("Tangent")
            screen.loginButtonTapped()
            answer.resolve(with: "userID007")
            try await drawn()
            #expect(
                screen.redrawn == ["name ", "user -", "name Tangent", "user -", "user userID007"])
            // end snippet
            gone = screen
        }
        store.dispatch(.typed("nobody looks"))
        try await drawn()
        #expect(gone == nil)
    }

    // snippet: login-test
    @Test func loginWithoutAScreen() throws {
        let network = MockNetwork()
        let service = LoginService(logIn: { name in
            network.request(Endpoint(path: "/login/\(name)")).decoded()
        })
        let store = TestStore(initialState: Login(), reducer: Reducer(effects: service.reduce))

        store.send(.typed("Tangent")) { $0.username = "Tangent" }
        store.send(.tappedLogin) { $0.user = .loading() }
        try network.next().answer(with: .json("userID007"))
        store.receive(.answered(.success("userID007"))) { $0.user = .loaded("userID007") }
        store.finish()
    }
    // end snippet
}

import Pledge
import PledgeStores

// snippet: flow
/// A login whose effects take time.
struct LoginFlow: Sendable {
    struct Login: Equatable, Sendable {
        var name = ""
        var user = Loadable<String, Problem>.idle
        var refusals = 0
        var isLocked = false
    }

    enum Problem: Error, Equatable { case refused, tooSlow, unreachable }

    enum Event: Equatable, Sendable {
        case typed(String)
        case tappedLogin, tappedCancel, tappedLogout
        case answered(Result<String, Problem>)
        case unlocked
    }

    let logIn: @Sendable (String) -> Future<String>
    let scheduler: any FutureScheduler

    func reduce(_ login: inout Login, _ event: Event) -> Effect<Event> {
        switch event {
        case .typed(let name):
            login.name = name
        case .tappedLogin:
            guard !login.name.isEmpty, !login.isLocked else { return .none }
            login.user.startLoading()
            return request(login.name)
        case .tappedCancel:
            login.user.cancelLoading()
            return .cancel(id: "login")
        case .tappedLogout:
            login.user.reset()
            return .cancel(id: "login")
        case .answered(let result):
            login.user.finishLoading(with: result)
            login.refusals = result == .failure(.refused) ? login.refusals + 1 : 0
            login.isLocked = login.refusals == 3
            return login.isLocked ? unlock : .none
        case .unlocked:
            login.isLocked = false
            login.refusals = 0
        }
        return .none
    }

    private func request(_ name: String) -> Effect<Event> {
        .request(logIn(name).timeout(.seconds(10), on: scheduler)) { result in
            .answered(result.mapError(Problem.init))
        }.id("login")
    }

    private var unlock: Effect<Event> {
        .future(Future(value: .unlocked).delay(.seconds(30), on: scheduler))
    }
}

extension LoginFlow.Problem {
    init(_ error: any Error) {
        switch error {
        case let error as HTTPError where error.status == 401: self = .refused
        case let error as FutureError where error.code == .timedOut: self = .tooSlow
        default: self = .unreachable
        }
    }
}
// end snippet

import Pledge

/// The login once more, without effects: what is known, what is under way, and when it ends.
struct LoginFlowModel {
    private enum Phase { case idle, loading, loaded, stale, failed(LoginFlow.Problem) }

    private var phase = Phase.idle
    private var known: String?
    private var refusals = 0
    private var now = 0
    private var calls = 0
    /// The call whose answer counts, and when it is given up.
    private var current: (number: Int, deadline: Int)?
    private var lockEnds: Int?

    /// How the store's state has to be.
    var login: LoginFlow.Login {
        let user: Loadable<String, LoginFlow.Problem> =
            switch phase {
            case .idle: .idle
            case .loading: .loading(previous: known)
            case .loaded: .loaded(known ?? "")
            case .stale: .loaded(known ?? "", stale: true)
            case .failed(let problem): .failed(problem, previous: known)
            }
        return .init(name: "Momo", user: user, refusals: refusals, isLocked: lockEnds != nil)
    }

    /// The user does something.
    mutating func send(_ event: LoginFlow.Event) {
        switch event {
        case .tappedLogin where lockEnds == nil:
            calls += 1
            current = (calls, now + 10)
            phase = .loading
        case .tappedCancel where current != nil:
            current = nil
            phase = known == nil ? .idle : .stale
        case .tappedLogout:
            current = nil
            known = nil
            phase = .idle
        default: break
        }
    }

    /// The server answers a call.
    /// - Returns: Whether anybody wants to know.
    mutating func answer(_ result: Result<String, LoginFlow.Problem>, to number: Int) -> Bool {
        guard number == current?.number else { return false }
        current = nil
        switch result {
        case .success(let user):
            known = user
            phase = .loaded
            refusals = 0
        case .failure(let problem):
            phase = .failed(problem)
            refusals = problem == .refused ? refusals + 1 : 0
            if refusals == 3 { lockEnds = now + 30 }
        }
        return true
    }

    /// Time goes by.
    /// - Returns: What comes of it. It is one event at most: no call is under way in a locked login.
    mutating func advance(by seconds: Int) -> LoginFlow.Event? {
        now += seconds
        if let current, current.deadline <= now {
            _ = answer(.failure(.tooSlow), to: current.number)
            return .answered(.failure(.tooSlow))
        }
        if let end = lockEnds, end <= now {
            lockEnds = nil
            refusals = 0
            return .unlocked
        }
        return nil
    }
}

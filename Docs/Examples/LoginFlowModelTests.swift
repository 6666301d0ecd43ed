import Pledge
import PledgeFutures
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

/// Every way in which a user, a server and the clock may take four turns, beside a plain model; five if PLEDGE_SCRIPTS
/// asks for more than 2,000.
@Suite(.oneAtATime)
struct LoginFlowModelTests {
    typealias Login = LoginFlow.Login

    enum Turn: CaseIterable {
        case login, cancel, logout
        /// The server says who it is, or refuses; to the newest call, or to the oldest.
        case accepts, refuses, acceptsOldest
        case nineSeconds, halfAMinute
    }

    @Test func everyFewTurnsAreAsTheModelSays() {
        let all = Turn.allCases
        let length = scriptCount() > 2_000 ? 5 : 4
        let sequences = (0..<length).reduce(1) { count, _ in count * all.count }
        var count = 0
        for number in 0..<sequences {
            var rest = number
            let turns = (0..<length).map { _ in
                defer { rest /= all.count }
                return all[rest % all.count]
            }
            var run = Run()
            let problems = run.play(turns)
            if !problems.isEmpty { Issue.record("\(turns): \(problems)") }
            count += 1
            if !problems.isEmpty { break }
        }
        #expect(count == sequences)
    }

    /// One store under test, with the model that says how it has to be.
    private struct Run {
        let scheduler = ManualScheduler()
        /// The calls that the server has not answered, the oldest first, with their numbers.
        let calls = Locked<[(number: Int, promise: Promise<String>)]>([])
        let problems = Locked<[String]>([])
        let store: TestStore<Login, LoginFlow.Event>
        var model = LoginFlowModel()

        init() {
            let (calls, problems, scheduler) = (calls, problems, scheduler)
            let count = Locked(0)
            // These calls are not notified of their cancellation, so their answers come late.
            let flow = LoginFlow(
                logIn: { _ in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    let promise = Promise<String>()
                    calls.withLock { $0.append((number, promise)) }
                    return promise
                }, scheduler: scheduler)
            store = TestStore(
                initialState: Login(name: "Momo"), reducer: Reducer(effects: flow.reduce),
                onFailure: { message, _ in problems.withLock { $0.append(message) } })
        }

        /// Takes the turns, then ends all that is under way.
        /// - Returns: What was not as the model says.
        mutating func play(_ turns: [Turn]) -> [String] {
            for turn in turns { take(turn) }
            take(.logout)
            take(.halfAMinute)
            store.finish()
            if !scheduler.isIdle { problems.withLock { $0.append("a timer is left") } }
            return problems.withLock { $0 }
        }

        private mutating func take(_ turn: Turn) {
            switch turn {
            case .login: send(.tappedLogin)
            case .cancel: send(.tappedCancel)
            case .logout: send(.tappedLogout)
            case .accepts: answer(calls.withLock { $0.popLast() }, .success("007"))
            case .refuses: answer(calls.withLock { $0.popLast() }, .failure(.refused))
            case .acceptsOldest:
                answer(
                    calls.withLock { $0.isEmpty ? nil : $0.removeFirst() }, .success("of old"))
            case .nineSeconds: advance(by: 9)
            case .halfAMinute: advance(by: 30)
            }
        }

        private mutating func send(_ event: LoginFlow.Event) {
            model.send(event)
            store.send(event, expecting: model.login)
        }

        private mutating func answer(
            _ call: (number: Int, promise: Promise<String>)?,
            _ result: Result<String, LoginFlow.Problem>
        ) {
            guard let call else { return }
            switch result {
            case .success(let user): call.promise.resolve(with: user)
            case .failure:
                call.promise.reject(
                    with: HTTPError(
                        code: .unacceptableStatus, response: HTTPResponse(status: 401)))
            }
            guard model.answer(result, to: call.number) else { return }
            store.receive(.answered(result), expecting: model.login)
        }

        private mutating func advance(by seconds: Int) {
            scheduler.advance(by: .seconds(seconds))
            guard let event = model.advance(by: seconds) else { return }
            store.receive(event, expecting: model.login)
        }
    }
}

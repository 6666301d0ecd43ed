import Pledge
import PledgeStores
import PledgeTesting
import Testing

// snippet: suite
/// What a user of the login may meet, on virtual time.
@Suite struct LoginFlowExamples {
    typealias Login = LoginFlow.Login

    let network = MockNetwork()
    let scheduler = ManualScheduler()

    func makeStore() -> TestStore<Login, LoginFlow.Event> {
        let network = network
        let flow = LoginFlow(
            logIn: { network.request(Endpoint(path: "/login/\($0)")).decoded() },
            scheduler: scheduler)
        let store = TestStore(initialState: Login(), reducer: Reducer(effects: flow.reduce))
        store.send(.typed("Momo")) { $0.name = "Momo" }
        return store
    }

    func finish(_ store: TestStore<Login, LoginFlow.Event>) throws {
        store.finish()
        try network.finish()
        #expect(scheduler.isIdle)
    }
}
// end snippet

extension LoginFlowExamples {
    @Test func loggedInAndOut() throws {
        let store = makeStore()
        store.send(.tappedLogin) { $0.user = .loading() }
        scheduler.advance(by: .seconds(9))
        try network.next().answer(with: .json("userID007"))
        store.receive(.answered(.success("userID007"))) { $0.user = .loaded("userID007") }
        store.send(.tappedLogout) { $0.user = .idle }
        try finish(store)
    }

    @Test func nothingIsAskedForWithoutAName() throws {
        let store = makeStore()
        store.send(.typed("")) { $0.name = "" }
        store.send(.tappedLogin)
        try finish(store)
    }
}

// snippet: too-slow
extension LoginFlowExamples {
    @Test func aSlowServerIsGivenUp() throws {
        let store = makeStore()
        store.send(.tappedLogin) { $0.user = .loading() }
        let call = try network.next()
        scheduler.advance(by: .seconds(10))
        store.receive(.answered(.failure(.tooSlow))) { $0.user = .failed(.tooSlow) }
        #expect(call.isCancelled)
        try finish(store)
    }
}
// end snippet

extension LoginFlowExamples {
    @Test func aCancelledLoginIsNotAnswered() throws {
        let store = makeStore()
        store.send(.tappedLogin) { $0.user = .loading() }
        let call = try network.next()
        store.send(.tappedCancel) { $0.user = .idle }
        #expect(call.isCancelled)
        #expect(!call.answer(with: .json("too late")))
        try finish(store)
    }
}

// snippet: replaced
extension LoginFlowExamples {
    @Test func theSecondTapReplacesTheFirst() throws {
        let store = makeStore()
        store.send(.tappedLogin) { $0.user = .loading() }
        let first = try network.next()
        store.send(.typed("Gigi")) { $0.name = "Gigi" }
        store.send(.tappedLogin)
        #expect(first.isCancelled)
        try network.next().answer(with: .json("userID008"))
        store.receive(.answered(.success("userID008"))) { $0.user = .loaded("userID008") }
        try finish(store)
    }
}
// end snippet

// snippet: locked
extension LoginFlowExamples {
    @Test func threeRefusalsLockForHalfAMinute() throws {
        let store = makeStore()
        for refusal in 1...3 {
            store.send(.tappedLogin) { $0.user = .loading() }
            try network.next().answer(with: .status(401))
            store.receive(.answered(.failure(.refused))) {
                $0.user = .failed(.refused)
                $0.refusals = refusal
                $0.isLocked = refusal == 3
            }
        }
        store.send(.tappedLogin)
        scheduler.advance(by: .seconds(29))
        store.send(.tappedLogin)
        scheduler.advance(by: .seconds(1))
        store.receive(.unlocked) {
            $0.isLocked = false
            $0.refusals = 0
        }
        try finish(store)
    }
}
// end snippet

extension LoginFlowExamples {
    @Test func anotherFailureForgetsTheRefusals() throws {
        let store = makeStore()
        store.send(.tappedLogin) { $0.user = .loading() }
        try network.next().answer(with: .status(401))
        store.receive(.answered(.failure(.refused))) {
            $0.user = .failed(.refused)
            $0.refusals = 1
        }
        store.send(.tappedLogin) { $0.user = .loading() }
        try network.next().answer(with: .status(503))
        store.receive(.answered(.failure(.unreachable))) {
            $0.user = .failed(.unreachable)
            $0.refusals = 0
        }
        try finish(store)
    }

    @Test func aReleasedStoreCancelsItsLogin() throws {
        let network = network
        let flow = LoginFlow(
            logIn: { network.request(Endpoint(path: "/login/\($0)")).decoded() },
            scheduler: scheduler)
        var store: Store? = Store(
            initialState: Login(name: "Momo"), reducer: Reducer(effects: flow.reduce))
        store?.dispatch(.tappedLogin)
        let call = try network.next()
        #expect(!scheduler.isIdle && call.isPending)
        store = nil
        #expect(scheduler.isIdle && call.isCancelled)
        try network.finish()
    }
}

import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport

/// A store in memory that answers late, fails or does not answer, as the test says.
final class TestPolicyStore: PolicyStore {
    enum Mode: Sendable { case works, fails, hangs }

    struct Down: Error, Equatable {}

    private struct State {
        var mode = Mode.works
        var latency: (@Sendable () -> Duration)?
        var requests: [String] = []
        var hanging: [Promise<Void>] = []
        var cancelled = 0
        var error: any Error = Down()
    }

    private let memory: MemoryPolicyStore
    private let scheduler: ManualScheduler
    private let state = Locked(State())

    init(on scheduler: ManualScheduler) {
        self.scheduler = scheduler
        memory = MemoryPolicyStore(on: scheduler)
    }

    var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The error while the store fails.
    var error: any Error {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    /// How long a request is on its way, and how long its answer is; nil if both settle at once.
    var latency: (@Sendable () -> Duration)? {
        get { state.withLock { $0.latency } }
        set { state.withLock { $0.latency = newValue } }
    }

    /// The requests, like "take 1.0 shop:rateLimit".
    var requests: [String] { state.withLock { $0.requests } }

    /// How many requests without an answer were cancelled.
    var cancelled: Int { state.withLock { $0.cancelled } }

    func takeTokens(_ request: BucketRequest) -> Future<BucketGrant> {
        answer("take \(request.tokens) \(request.key)") { self.memory.takeTokens(request) }
    }

    func value(for key: String) -> Future<[UInt8]?> {
        answer("value \(key)") { self.memory.value(for: key) }
    }

    func set(_ value: [UInt8]?, for key: String, lifetime: Duration) -> Future<Void> {
        answer("\(value == nil ? "remove" : "set") \(key)") {
            self.memory.set(value, for: key, lifetime: lifetime)
        }
    }

    private func answer<Value: Sendable>(
        _ request: String, _ work: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        let (mode, latency) = state.withLock { state in
            state.requests.append(request)
            return (state.mode, state.latency)
        }
        switch mode {
        case .hangs:
            let promise = Promise<Void>()
            promise.onCancel { self.state.withLock { $0.cancelled += 1 } }
            state.withLock { $0.hanging.append(promise) }
            return promise.flatMap { work() }
        case .works, .fails:
            let future: @Sendable () -> Future<Value> = {
                mode == .works ? work() : Future(error: self.error)
            }
            guard let latency else { return future() }
            let (there, back) = (latency(), latency())
            return Future(value: ()).delay(there, on: scheduler).flatMap { future() }
                .delay(back, on: scheduler)
        }
    }

    /// Lets the requests without an answer go on.
    func goOn() {
        let hanging = state.withLock { state in
            defer { state.hanging = [] }
            return state.hanging
        }
        for promise in hanging { promise.resolve() }
    }
}

extension SharedState {
    static func inMemory(on scheduler: ManualScheduler) -> SharedState {
        SharedState("test", in: MemoryPolicyStore(on: scheduler), on: scheduler)
    }

    /// A place in a store that answers after 10 milliseconds.
    static func slow(on scheduler: ManualScheduler) -> SharedState {
        let store = TestPolicyStore(on: scheduler)
        store.latency = { .milliseconds(5) }
        return SharedState("test", in: store, on: scheduler)
    }
}

extension SharedMemo<Int> {
    struct NoNumber: Error {}

    /// A memo that keeps numbers as decimal digits.
    static func ofNumbers(
        named name: String? = nil, timeToLive: Duration, shared: SharedState
    ) -> SharedMemo {
        SharedMemo(
            named: name, timeToLive: timeToLive, shared: shared, encode: { Array("\($0)".utf8) },
            decode: { bytes in
                guard let number = Int(String(decoding: bytes, as: UTF8.self)) else {
                    throw NoNumber()
                }
                return number
            })
    }
}

/// A machine's clock: another origin, and faster or slower than the true time.
struct SkewedClock: FutureScheduler {
    let base: ManualScheduler
    let offset: Duration
    /// How many seconds it counts in a true second.
    var speed = 1.0

    var now: SchedulerInstant {
        SchedulerInstant(offset: offset + base.now.offset * speed)
    }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        base.schedule(after: delay / speed, action)
    }
}

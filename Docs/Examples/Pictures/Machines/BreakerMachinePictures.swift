import Pledge
import Testing

/// The states of a circuit breaker, as it went through them.
@Suite struct BreakerMachinePictures {
    private struct Broken: Error {}

    private let scheduler: ManualScheduler
    private let breaker: CircuitBreaker
    private let service: Service<Future<Int>, Int>
    private let run = MachineRun(startingIn: "closed")

    init() {
        scheduler = ManualScheduler()
        breaker = CircuitBreaker(
            failuresInARow: 3, lasting: .zero, backoff: .constant(.seconds(5)), on: scheduler)
        service = stack(.circuitBreaker(sharing: breaker), over: { answer in answer })
    }

    private func see(_ cause: String) {
        run.move(to: Self.word(for: breaker.state), because: cause)
    }

    private func call(_ cause: String) {
        _ = service(Future(value: 7))
        see(cause)
    }

    private func fail() {
        for _ in 1...3 { _ = service(Future(error: Broken())) }
        see("3 failures in a row")
    }

    private func probe() -> Promise<Int> {
        scheduler.advance(by: .seconds(5))
        let answer = Promise<Int>()
        service(answer).observe { _ in }
        see("a call after 5 s: the probe")
        return answer
    }

    @Test func circuitBreaker() throws {
        call("a call passes")
        fail()
        call("a call is refused")
        probe().reject(with: Broken())
        see("the probe fails")
        let answer = probe()
        call("a call is refused")
        answer.resolve(with: 7)
        see("the probe succeeds")
        fail()
        breaker.isolate()
        see("isolate()")
        #expect(throws: ServiceError.self) { try service(Future(value: 7)).result?.get() }
        breaker.reset()
        see("reset()")
        breaker.isolate()
        see("isolate()")
        try draw()
    }

    private static func word(for state: CircuitBreaker.State) -> String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half open"
        case .isolated: "isolated"
        }
    }

    private func draw() throws {
        let picture = Picture(
            "circuit-breaker-states", title: "The states of a circuit breaker",
            description: """
                Closed, calls pass; after 3 failures in a row it is open, and calls are refused. A call after 5 s is \
                the probe, and the breaker is half open, where further calls are refused. If the probe fails, it is \
                open again; if it succeeds, it is closed. isolate() refuses all calls until reset() closes it.
                """)
        let drawing = MachinePicture(
            picture,
            states: [
                "closed": .init(middle: PicturePoint(x: 120, y: 200), loopShift: -26),
                "open": .init(middle: PicturePoint(x: 450, y: 200), loopShift: 26),
                "half open": .init(middle: PicturePoint(x: 780, y: 200)),
                "isolated": .init(
                    middle: PicturePoint(x: 285, y: 30), note: "every call is refused"),
            ])
        try drawing.drawn(
            run,
            routes: [
                "half open → open": .bent(by: -45), "half open → closed": .bent(by: -135),
                "closed → isolated": .bent(by: -20), "isolated → closed": .bent(by: -20),
            ]
        ).check()
    }
}

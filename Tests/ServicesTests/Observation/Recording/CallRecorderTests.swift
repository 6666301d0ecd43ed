import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct CallRecorderTests {
    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    /// An error whose lifetime shows whether it is kept.
    struct Heavy: Error {
        let luggage: Luggage
    }

    @Test func aCallIsKeptWhenItIsOver() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { "ask \($0.number)" }),
            over: upstream.send)(3)
        #expect(recorder.calls.map(\.isOver) == [false])
        scheduler.run()
        let call = try #require(recorder.lastCall)
        #expect(call.isOver)
        #expect(call.name == "ask 3")
        #expect(call.eventsDropped == 0)
    }

    @Test func neitherInputsNorErrorsAreKept() {
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let service = stack(
                .observed(by: recorder.observer, on: scheduler),
                .retry(attempts: 2, backoff: .constant(.zero), on: scheduler),
                over: { (ask: Ask) in Future<Int>(error: Heavy(luggage: held)) })
            _ = service(Ask(1, luggage: held))
        }
        #expect(recorder.lastCall?.isOver == true)
        #expect(luggage == nil)
    }

    @Test func itKeepsTheLastCalls() {
        let recorder = CallRecorder(calls: 2)
        let service = stack(
            .observed(by: recorder.observer, named: { "\($0.number)" }),
            over: { (ask: Ask) in Future(value: 1) })
        for number in 1...5 { _ = service(Ask(number)) }
        #expect(recorder.calls.map(\.name) == ["4", "5"])
        recorder.removeAll()
        #expect(recorder.calls.isEmpty)
        #expect(recorder.lastCall == nil)
    }

    @Test func itHearsACallThatIsObservedFurtherOut() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let outer = TestLog<PolicyEvent>()
        _ = stack(
            .observed(by: outer.observer, on: scheduler),
            .observed(by: recorder.observer, named: { _ in "inner" }), over: upstream.send)(3)
        scheduler.run()
        let call = try #require(recorder.lastCall)
        #expect(call.name == "inner")
        #expect(call.isOver)
    }

    @Test func namedTwiceItShowsEachSpanOnce() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        _ = stack(
            .observed(by: recorder.observer, recorder.observer, on: scheduler),
            over: upstream.send)(3)
        scheduler.run()
        #expect(try #require(recorder.lastCall).waterfall().split(separator: "\n").count == 2)
    }

    @Test func longNamesAreCut() throws {
        let name = String(repeating: "x", count: 10_000)
        recorder.observer.receive(.made(.began(name: name)))
        #expect(try #require(recorder.lastCall).name.count == 201)
    }

    @Test func threadsShareOne() async {
        let recorder = CallRecorder(calls: 50, eventsPerCall: 5)
        let service = stack(
            .observed(by: recorder.observer),
            .retry(backoff: .constant(.zero), sharing: .unlimited),
            over: { (ask: Ask) in Future<Int>(error: Broken()) })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        _ = service(Ask(number))
                        if number % 50 == 0 { _ = recorder.chromeTrace }
                    }
                }
            }
        }
        #expect(recorder.calls.count == 50)
        // The events are a call, three attempts, two retries and one withheld retry.
        #expect(recorder.calls.allSatisfy { $0.eventsDropped == 2 })
    }

    #if os(macOS) || os(Linux)
    @Test func noCallTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CallRecorder(calls: 0) }
        expectTrap("a recorder keeps 1 call or more, not 0", in: result)
    }

    @Test func noEventTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CallRecorder(eventsPerCall: 0) }
        expectTrap("a recorder keeps 1 event of a call or more, not 0", in: result)
    }
    #endif
}

import PledgeFutures
import PledgeStores
import Testing

@Suite struct RequestSequenceResumeTests {
    let desk = Desk()

    @Test func resumesAfterAFailureWithoutWhatSucceeded() {
        let requests = RequestSequence(networking: desk.network)
        for name in ["a", "b", "c"] { requests.send(name, completion: desk.noting(name)) }
        desk.answer("a", "1")
        desk.fail("b")
        let end = requests.resume()
        #expect(desk.requests == ["a", "b", "b"])
        #expect(requests.failures.isEmpty)
        desk.answer("b", "2")
        #expect(end.result == nil)
        desk.answer("c", "3")
        #expect(desk.lines == ["a: 1", "b: Offline", "c: not sent, 3", "b: 2", "c: 3"])
        #expect(throws: Never.self) { try end.result?.get() }
        #expect(end.result != nil)
        #expect(requests.resume().result != nil)
        #expect(desk.requests == ["a", "b", "b", "c"])
    }

    @Test func resumesAsOftenAsItStops() throws {
        let requests = RequestSequence(networking: desk.network)
        requests.send("a", parse: number, completion: desk.noting("a"))
        requests.send("b", completion: desk.noting("b"))
        desk.answer("a", "no number")
        let second = requests.resume()
        desk.fail("a")
        #expect(throws: Offline.self) { try second.result?.get() }
        let third = requests.resume()
        desk.answer("a", "1")
        desk.fail("b")
        #expect(throws: Offline.self) { try third.result?.get() }
        let fourth = requests.resume()
        desk.answer("b", "2")
        #expect(throws: Never.self) { try fourth.result?.get() }
        #expect(desk.requests == ["a", "a", "a", "b", "b"])
        #expect(desk.lines.suffix(2) == ["b: Offline", "b: 2"])
    }

    @Test func resumesAfterItWasCancelled() {
        let requests = RequestSequence(networking: desk.network, onFailure: .goOn)
        for name in ["a", "b", "c"] { requests.send(name, completion: desk.noting(name)) }
        desk.answer("a", "1")
        requests.cancel()
        let end = requests.resume()
        desk.answer("b", "2")
        desk.answer("c", "3")
        #expect(desk.lines.suffix(2) == ["b: 2", "c: 3"])
        #expect(throws: Never.self) { try end.result?.get() }
    }

    @Test func aCompletionMayResume() {
        let requests = RequestSequence(networking: desk.network)
        let isFirst = Locked(true)
        requests.send("a") { [desk] result in
            desk.noting("a")(result)
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                requests.resume()
                requests.send("c", completion: desk.noting("c"))
            }
        }
        requests.send("b", completion: desk.noting("b"))
        desk.fail("a")
        #expect(desk.requests == ["a", "a"])
        desk.answer("a", "1")
        desk.answer("b", "2")
        desk.answer("c", "3")
        #expect(
            desk.lines == [
                "a: Offline", "b: not sent, 2", "c: not sent, 3", "a: 1", "b: 2", "c: 3",
            ])
    }

    @Test func cancellingBeforeItGoesOnPrevails() {
        let requests = RequestSequence(networking: desk.network)
        requests.send("a") { _ in
            requests.resume()
            requests.cancel()
        }
        requests.send("b", completion: desk.noting("b"))
        desk.fail("a")
        #expect(desk.requests == ["a"])
        #expect(desk.lines == ["b: not sent, 2"])
        #expect(throws: CancellationError.self) { try requests.finished.result?.get() }
    }
}

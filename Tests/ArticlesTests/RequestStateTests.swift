import Dispatch
import Foundation
import PledgeArticles
import PledgeFutures
import PledgeHTTPMessages
import PledgeStores
import TestSupport
import Testing

private struct Offline: Error {}

/// A network whose answers the test gives.
private final class Desk: Sendable {
    private let sent = Locked<[(request: String, promise: Promise<String>)]>([])
    private let entries = Locked<[String]>([])

    var requests: [String] { sent.withLock { $0.map(\.request) } }
    var lines: [String] { entries.withLock { $0 } }

    @Sendable func network(_ endpoint: Endpoint) -> Future<Data> {
        let (request, promise) = (String(endpoint.path.dropFirst()), Promise<String>())
        promise.onCancel { [entries] in entries.withLock { $0.append("cancelled \(request)") } }
        sent.withLock { $0.append((request, promise)) }
        return promise.map { Data($0.utf8) }
    }

    func answer(_ request: String, _ text: String) {
        sent.withLock { $0.last { $0.request == request } }?.promise.resolve(with: text)
    }

    func fail(_ request: String) {
        sent.withLock { $0.last { $0.request == request } }?.promise.reject(with: Offline())
    }

    func note(_ line: String) { entries.withLock { $0.append(line) } }

    func noting<Value>(_ name: String) -> @Sendable (Result<Value, any Error>) -> Void {
        { result in
            switch result {
            case .success(let value): self.note("\(name): \(value)")
            case .failure(let error as RequestNotSent):
                self.note("\(name): not sent, \(error.number)")
            case .failure(let error): self.note("\(name): \(type(of: error))")
            }
        }
    }
}

private let number: @Sendable (Future<String>) -> Future<Int> = { answer in
    answer.map { text in
        guard let number = Int(text) else { throw Offline() }
        return number
    }
}

extension RequestState {
    /// Declares a request by its name, whose answer is a text.
    @discardableResult
    fileprivate func send(
        _ name: String,
        completion: (@Sendable (Result<String, any Error>) -> Void)? = nil
    ) -> Future<String> {
        send(name, parse: { $0 }, completion: completion)
    }

    @discardableResult
    fileprivate func send<Response: Sendable>(
        _ name: String,
        parse: @escaping @Sendable (Future<String>) -> Future<Response>,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        let parse = { @Sendable (answer: Future<Data>) in
            parse(answer.map { String(decoding: $0, as: UTF8.self) })
        }
        return sendRequest(Endpoint(path: "/\(name)"), parse: parse, completion: completion)
    }
}

@Suite(.oneAtATime)
struct RequestStateTests {
    private let desk = Desk()

    @Test func oneIsSentAfterTheAnswerOfTheOneBefore() {
        let requests = RequestState(networking: desk.network)
        requests.send("a", completion: desk.noting("a"))
        requests.send("b", parse: number, completion: desk.noting("b"))
        requests.send("c", parse: { $0.map { [$0] } }, completion: desk.noting("c"))
        let finished = requests.finished
        #expect(desk.requests == ["a"])
        desk.answer("a", "1")
        #expect(desk.requests == ["a", "b"])
        desk.answer("b", "2")
        desk.answer("c", "3")
        #expect(desk.lines == ["a: 1", "b: 2", #"c: ["3"]"#])
        #expect(finished.result != nil)
    }

    @Test func theNextIsSentOnlyAfterTheDelivery() {
        let requests = RequestState(networking: desk.network)
        requests.send("a") { [desk] _ in desk.note("while delivering: \(desk.requests)") }
        requests.send("b")
        desk.answer("a", "1")
        #expect(desk.lines == [#"while delivering: ["a"]"#])
        #expect(desk.requests == ["a", "b"])
    }

    @Test func finishesOnlyWhenTheLastIsDelivered() {
        let requests = RequestState(networking: desk.network)
        #expect(requests.finished.result != nil)
        requests.send("a")
        requests.send("b") { [desk] _ in desk.note("b delivered") }
        let finished = requests.finished
        finished.observe { [desk] _ in desk.note("finished") }
        desk.answer("a", "")
        #expect(finished.result == nil)
        desk.answer("b", "")
        #expect(desk.lines == ["b delivered", "finished"])
    }

    @Test func whatACompletionDeclaresIsTheLastAndBelongsToTheEnd() {
        let requests = RequestState(networking: desk.network)
        requests.send("a") { [desk] _ in requests.send("c", completion: desk.noting("c")) }
        requests.send("b", completion: desk.noting("b"))
        let finished = requests.finished
        desk.answer("a", "")
        desk.answer("b", "2")
        #expect(finished.result == nil)
        #expect(desk.requests == ["a", "b", "c"])
        desk.answer("c", "3")
        #expect(desk.lines == ["b: 2", "c: 3"])
        #expect(finished.result != nil)
    }

    @Test func stopsAtAFailure() throws {
        let requests = RequestState(networking: desk.network)
        for name in ["a", "b", "c"] { requests.send(name, completion: desk.noting(name)) }
        let finished = requests.finished
        desk.answer("a", "1")
        desk.fail("b")
        #expect(desk.requests == ["a", "b"])
        #expect(desk.lines == ["a: 1", "b: Offline", "c: not sent, 3"])
        #expect(throws: Offline.self) { try finished.result?.get() }
        #expect(requests.failures.count == 1)
        let late = requests.send("d")
        let error = try #require(throws: RequestNotSent.self) { try late.result?.get() }
        #expect(error.number == 4)
        #expect(error.cause is Offline)
        #expect("\(error)".contains("request 4 was not sent"))
    }

    @Test func goesOnAfterAFailure() {
        let requests = RequestState(networking: desk.network, onFailure: .goOn)
        for name in ["a", "b", "c"] { requests.send(name, completion: desk.noting(name)) }
        let finished = requests.finished
        desk.fail("a")
        desk.answer("b", "2")
        desk.fail("c")
        #expect(desk.lines == ["a: Offline", "b: 2", "c: Offline"])
        #expect(throws: Never.self) { try finished.result?.get() }
        #expect(requests.failures.count == 2)
    }

    @Test func anAnswerThatCannotBeParsedIsAFailure() {
        let requests = RequestState(networking: desk.network)
        requests.send("a", parse: number, completion: desk.noting("a"))
        requests.send("b", completion: desk.noting("b"))
        desk.answer("a", "no number")
        #expect(desk.lines == ["a: Offline", "b: not sent, 2"])
    }

    @Test func cancellingStopsAllThatIsLeft() {
        let requests = RequestState(networking: desk.network, onFailure: .goOn)
        for name in ["a", "b", "c"] { requests.send(name, completion: desk.noting(name)) }
        desk.answer("a", "1")
        requests.cancel()
        #expect(desk.requests == ["a", "b"])
        let lines = ["a: 1", "cancelled b", "b: CancellationError", "c: not sent, 3"]
        #expect(desk.lines.sorted() == lines.sorted())
        #expect(throws: CancellationError.self) { try requests.finished.result?.get() }
    }

    @Test func cancellingWhatHasEndedChangesNothing() throws {
        let requests = RequestState(networking: desk.network)
        requests.send("a", completion: desk.noting("a"))
        desk.answer("a", "1")
        requests.cancel()
        #expect(throws: Never.self) { try requests.finished.result?.get() }
        requests.send("b", completion: desk.noting("b"))
        #expect(desk.lines == ["a: 1", "b: not sent, 2"])
        #expect(throws: CancellationError.self) { try requests.finished.result?.get() }

        let failing = RequestState(networking: desk.network)
        failing.send("c")
        desk.fail("c")
        failing.cancel()
        #expect(throws: Offline.self) { try failing.finished.result?.get() }
    }

    @Test func anAnswerCancelledBeforeItsTurnIsDeliveredInItsTurn() {
        let requests = RequestState(networking: desk.network, onFailure: .goOn)
        requests.send("a", completion: desk.noting("a"))
        let second = requests.send("b", completion: desk.noting("b"))
        requests.send("c", completion: desk.noting("c"))
        second.cancel()
        #expect(desk.lines == [])
        #expect(desk.requests == ["a"])
        desk.answer("a", "1")
        #expect(desk.lines == ["a: 1", "b: CancellationError"])
        #expect(desk.requests == ["a", "c"])
    }

    @Test func goesOnWithoutTheState() {
        var requests: RequestState? = .init(networking: desk.network)
        requests?.send("a", completion: desk.noting("a"))
        requests?.send("b", completion: desk.noting("b"))
        requests = nil
        desk.answer("a", "1")
        desk.answer("b", "2")
        #expect(desk.lines == ["a: 1", "b: 2"])
    }

    @Test func aHundredThousandImmediateAnswers() {
        let count = Locked(0)
        let requests = RequestState(networking: { _ in Future(value: Data()) })
        for index in 0..<100_000 {
            requests.send("\(index)") { _ in count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 100_000)
        #expect(requests.finished.result != nil)
    }

    @Test func aHundredThousandThatWait() {
        let gate = Promise<Data>()
        let order = Locked<[Int]>([])
        let requests = RequestState(networking: { endpoint in
            endpoint.path == "/0" ? gate : Future(value: Data())
        })
        for index in 0..<100_000 {
            requests.send("\(index)") { _ in order.withLock { $0.append(index) } }
        }
        gate.resolve(with: Data())
        #expect(order.withLock { $0 } == Array(0..<100_000))
    }

    @Test func theReducerDeclaresRequestsWhoseAnswersAreDecoded() throws {
        let answers = Locked<[Int]>([])
        let sum = Locked(0)
        var state = RequestState(networking: { endpoint in
            Future(value: Data(endpoint.path.utf8.dropFirst()))
        })
        let reducer = Reducer<RequestState, RequestAction>.requests()
        for path in ["/1", "/2"] {
            reducer.reduce(
                &state,
                .send(Endpoint(path: path)) { (result: Result<Int, any Error>) in
                    if let number = try? result.get() { answers.withLock { $0.append(number) } }
                })
        }
        state.sendRequest(Endpoint(path: "/3")) { (result: Result<Int, any Error>) in
            sum.withLock { $0 += (try? result.get()) ?? 0 }
        }
        #expect(answers.withLock { $0 } == [1, 2])
        #expect(sum.withLock { $0 } == 3)
    }

    @Test func manyThreadsDeclare() async throws {
        let running = Locked((now: 0, most: 0))
        let requests = RequestState(networking: { _ in
            running.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            return Future(value: Data()).delay(.zero, on: .live)
                .always { running.withLock { $0.now -= 1 } }
        })
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask { for item in 0..<50 { requests.send("\(index * 50 + item)") } }
            }
        }
        try await requests.finished.value
        #expect(running.withLock { $0.most } == 1)
    }
}

@Suite struct RequestStateResumeTests {
    private let desk = Desk()

    @Test func resumesAfterAFailureWithoutWhatSucceeded() {
        let requests = RequestState(networking: desk.network)
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
        let requests = RequestState(networking: desk.network)
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
        let requests = RequestState(networking: desk.network, onFailure: .goOn)
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
        let requests = RequestState(networking: desk.network)
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
        let requests = RequestState(networking: desk.network)
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

/// Why a `RequestState` chains futures, while the article waits on a semaphore.
@Suite(.oneAtATime)
struct SemaphoreTests {
    /// A client that answers on one queue, as `URLSession` does on its delegate's.
    struct Client: Sendable {
        let queue: DispatchQueue

        func send(_ request: Int, completion: @escaping @Sendable (Int) -> Void) {
            queue.async { completion(request) }
        }
    }

    @Test func waitingOnTheQueueOfTheAnswerWaitsForever() {
        let client = Client(queue: DispatchQueue(label: "answers"))
        let semaphore = DispatchSemaphore(value: 0)
        let answered = Locked(false)
        client.queue.sync {
            client.send(1) { _ in
                answered.withLock { $0 = true }
                semaphore.signal()
            }
            // The article's wait() has no limit. However long it is, it blocks the queue meanwhile.
            #expect(semaphore.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
            #expect(answered.withLock { $0 } == false)
        }
        // The answer arrives as soon as the queue is not blocked any more.
        #expect(semaphore.wait(timeout: .watchdog) == .success)
        #expect(answered.withLock { $0 })
    }

    @Test func aSequenceWaitsOnNoThread() async throws {
        let client = Client(queue: DispatchQueue(label: "answers"))
        let requests = RequestState(networking: { _ in
            let promise = Promise<Data>()
            client.send(1) { _ in promise.resolve(with: Data()) }
            return promise
        })
        let order = Locked<[Int]>([])
        let finished = client.queue.sync {
            for request in 1...3 {
                requests.send("\(request)") { _ in order.withLock { $0.append(request) } }
            }
            #expect(order.withLock { $0 } == [])
            return requests.finished
        }
        try await finished.value
        #expect(order.withLock { $0 } == [1, 2, 3])
    }
}

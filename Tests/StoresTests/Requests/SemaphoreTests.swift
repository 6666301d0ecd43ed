import Dispatch
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

/// Why a request sequence chains futures, while the article waits on a semaphore.
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
        let requests = RequestSequence<Int, Int>(networking: { request in
            let promise = Promise<Int>()
            client.send(request) { promise.resolve(with: $0) }
            return promise
        })
        let order = Locked<[Int]>([])
        let finished = client.queue.sync {
            for request in 1...3 {
                requests.send(request) { _ in order.withLock { $0.append(request) } }
            }
            #expect(order.withLock { $0 } == [])
            return requests.finished
        }
        try await finished.value
        #expect(order.withLock { $0 } == [1, 2, 3])
    }
}

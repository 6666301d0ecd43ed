import PledgeFutures
import PledgeStores
import Testing

@Suite struct FeedbackRecorderTests {
    @Test func feedbackFollowsTheNewestState() {
        let log = Locked<[String]>([])
        let held = Locked<[Promise<Int>]>([])
        let feedback = Feedback<[Int], Int>(
            { $0.last },
            effect: { wanted in
                .future {
                    log.withLock { $0.append("begin \(wanted)") }
                    let promise = Promise<Int>()
                    held.withLock { $0.append(promise) }
                    promise.onCancel { log.withLock { $0.append("cancel \(wanted)") } }
                    return promise
                }
            })
        let recorder = StoreRecorder<[Int], Int>(
            initialState: [1], reducer: Reducer { $0 + [$1] }, feedback: [feedback])
        recorder.dispatch(event: 2)
        #expect(log.withLock { $0 } == ["begin 1", "cancel 1", "begin 2"])
        recorder.undo()
        recorder.redo()
        #expect(log.withLock { $0.count } == 3)
        recorder.replay([3])
        #expect(log.withLock { $0.suffix(1) } == ["cancel 2"])
    }
}

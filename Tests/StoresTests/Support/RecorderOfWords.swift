import PledgeFutures
import PledgeStores

/// A recorder of words: "ask" begins an effect, and "stop" cancels it.
func recorderOfWords(
    _ answers: Locked<[Promise<String>]>, maximumEvents: Int = .max,
    middleware: [StoreMiddleware<[String], String>] = []
) -> StoreRecorder<[String], String> {
    StoreRecorder(
        initialState: [], maximumEvents: maximumEvents,
        reducer: Reducer(effects: { state, event in
            state.append(event)
            switch event {
            case "ask":
                return .future {
                    let answer = Promise<String>()
                    answers.withLock { $0.append(answer) }
                    return answer
                }.id("question")
            case "stop": return .cancel(id: "question")
            default: return .none
            }
        }), middleware: middleware)
}

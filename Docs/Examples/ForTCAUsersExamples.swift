// snippet: imports
import Pledge
import PledgeTesting
import Testing

// end snippet

/// The code of Docs/Guides/ForTCAUsers.md.
@Suite struct ForTCAUsersExamples {
    // snippet: feature
    struct Fact: Equatable, Sendable {
        var number = 0
        var text: String?

        enum Action: Equatable, Sendable {
            case incremented
            case asked
            case answered(String)
        }

        static func reducer(
            fact: @escaping @Sendable (Int) -> Future<String>
        ) -> Reducer<Fact, Action> {
            Reducer(effects: { state, action in
                switch action {
                case .incremented:
                    state.number += 1
                    state.text = nil
                    return .cancel(id: "fact")
                case .asked:
                    let number = state.number
                    return .future { fact(number).map { .answered($0) } }.id("fact")
                case .answered(let text):
                    state.text = text
                    return .none
                }
            })
        }
    }
    // end snippet

    // snippet: test
    @Test func incrementsAndAsks() {
        let answer = Promise<String>()
        let store = TestStore(
            initialState: Fact(), reducer: Fact.reducer(fact: { _ in answer }))

        store.send(.incremented) { $0.number = 1 }
        store.send(.asked)
        answer.resolve(with: "1 is odd.")
        store.receive(.answered("1 is odd.")) { $0.text = "1 is odd." }
        store.finish()
    }
    // end snippet
}

// snippet: imports
import Pledge
import Testing

// end snippet

/// The code of Docs/Guides/ForElmUsers.md.
@Suite struct ForElmUsersExamples {
    // snippet: update
    struct Model: Equatable, Sendable {
        var face = Loadable<Int, Unreachable>.idle

        /// The command is given from outside, so that `update` stays pure.
        mutating func update(
            _ message: Message, throwDie: @escaping @Sendable () -> Future<Int>
        ) -> Effect<Message> {
            switch message {
            case .roll:
                face.startLoading()
                return .request(throwDie()) { .rolled($0) }.id("die")
            case .rolled(let result):
                face.finishLoading(with: result.mapError { _ in Unreachable() })
                return .none
            }
        }
    }

    enum Message: Sendable {
        case roll
        case rolled(Result<Int, any Error>)
    }

    struct Unreachable: Error, Equatable {}
    // end snippet

    @Test func program() {
        // snippet: program
        let die = Promise<Int>()
        let program = Store<Model, Message>(
            initialState: Model(),
            reducer: Reducer(effects: { model, message in
                model.update(message, throwDie: { die })
            }))

        program.dispatch(event: .roll)
        #expect(program.state.face == .loading())
        die.resolve(with: 4)
        #expect(program.state.face == .loaded(4))
        // end snippet
    }
}

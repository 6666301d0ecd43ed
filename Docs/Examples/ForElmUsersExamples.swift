import Pledge
import Testing

/// The code of Docs/Guides/ForElmUsers.md.
@Suite struct ForElmUsersExamples {
    // snippet: update
    struct Model: Equatable, Sendable {
        var face = Loadable<Int, Unreachable>.idle
    }

    enum Message: Sendable {
        case roll
        case rolled(Result<Int, any Error>)
    }

    struct Unreachable: Error, Equatable {}

    /// The command is given from outside, so that `update` stays pure.
    static func update(
        _ model: inout Model, _ message: Message,
        throwDie: @escaping @Sendable () -> Future<Int>
    ) -> Effect<Message> {
        switch message {
        case .roll:
            model.face.startLoading()
            return .request(throwDie()) { .rolled($0) }.id("die")
        case .rolled(let result):
            model.face.finishLoading(with: result.mapError { _ in Unreachable() })
            return .none
        }
    }
    // end snippet

    @Test func program() {
        // snippet: program
        let die = Promise<Int>()
        let program = Store<Model, Message>(
            initialState: Model(),
            effects: { model, message in
                Self.update(&model, message, throwDie: { die })
            })

        program.dispatch(event: .roll)
        #expect(program.state.face == .loading())
        die.resolve(with: 4)
        #expect(program.state.face == .loaded(4))
        // end snippet
    }
}

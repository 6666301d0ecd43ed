import PledgeFutures
import PledgeStores
import Testing

@Suite struct EffectIDTests {
    /// The events of two effects whose ids are `first` and `second`, both under way at once.
    func events(
        _ first: some Hashable & Sendable, _ second: some Hashable & Sendable
    ) -> [String] {
        let (one, two) = (Promise<String>(), Promise<String>())
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                switch event {
                case "begin": return .merge(.future(one).id(first), .future(two).id(second))
                default: return .none
                }
            }))
        store.dispatch(event: "begin")
        one.resolve(with: "1")
        two.resolve(with: "2")
        return store.state
    }

    @Test("T9: ids of different types are different ids")
    func typeAndValueBothCount() {
        let both = ["begin", "1", "2"]
        #expect(events(1, 1.0) == both)
        #expect(events(1, UInt8(1)) == both)
        #expect(events(1.0, UInt8(1)) == both)
        #expect(events("1", 1) == both)
        #expect(events(1, 2) == both)
        #expect(events(1, 1) == ["begin", "2"])
        #expect(events("a", "a") == ["begin", "2"])
        #expect(events(Optional(1), 1) == both)
    }
}

import Stores
import Testing

@Suite struct EffectIdentifiedTests {
    let stage = EffectTests.Stage()

    @Test("T2: an effect that ends as it begins leaves its id to the next part of its group")
    func anEffectThatEndsAsItBeginsLeavesItsId() {
        stage.run(
            .merge(
                .cancel(id: 2).id(1, .oldest),
                stage.pending("y").id(1, .oldest)))
        #expect(stage.started.all == ["y"])
        stage.settle("y")
        #expect(stage.got == ["y"])
    }
}

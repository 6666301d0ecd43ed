import PledgeStores
import TestSupport
import Testing

/// A group keeps its id until the last of its parts has ended, however its parts affect each other.
@Suite struct EffectTogetherTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    /// Two parts with one id: the second replaces the first while the group is being begun.
    var screen: Effect<Event> {
        .merge(stage.pending("first").id("page"), stage.pending("second").id("page"))
    }

    @Test("T1: a group whose part replaces another can be cancelled")
    func aGroupWhosePartReplacesAnotherCanBeCancelled() {
        stage.run(screen.id("screen"))
        #expect(stage.store.effectsUnderWay == 1)
        stage.run(.cancel(id: "screen"))
        #expect(stage.cancelled.elements == ["second"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test("T1: a group whose part cancels another goes on with the others")
    func aGroupWhosePartCancelsAnotherGoesOn() {
        stage.run(
            .merge(stage.pending("a").id("page"), .cancel(id: "page"), stage.pending("b"))
                .id("screen"))
        #expect(stage.started.elements == ["b"])
        stage.run(.cancel(id: "screen"))
        #expect(stage.cancelled.elements == ["b"])
    }

    @Test("T1: the newest replaces a group whose part has replaced another")
    func theNewestReplacesSuchAGroup() {
        stage.run(screen.id("screen"))
        stage.run(stage.pending("next").id("screen"))
        #expect(stage.cancelled.elements == ["second"])
        stage.settle("second")
        #expect(stage.got.isEmpty)
    }

    @Test("T1: the oldest gives way to a group whose part has replaced another")
    func theOldestGivesWayToSuchAGroup() {
        stage.run(screen.id("screen"))
        stage.run(stage.pending("next").id("screen", .oldest))
        #expect(stage.started.elements == ["second"])
    }

    @Test("T1: a serial one waits for a group whose part has replaced another")
    func aSerialOneWaitsForSuchAGroup() {
        stage.run(screen.id("screen", .serial))
        stage.run(stage.pending("next").id("screen", .serial))
        #expect(stage.started.elements == ["second"])
        stage.settle("second")
        #expect(stage.started.elements == ["second", "next"])
    }

    @Test("T1: a sequence waits for a group whose part has replaced another")
    func aSequenceWaitsForSuchAGroup() {
        stage.run(.concatenate(screen, stage.pending("next")))
        #expect(stage.started.elements == ["second"])
        stage.settle("second")
        #expect(stage.started.elements == ["second", "next"])
    }

    @Test func theLastOfAMergeIsTheNewest() {
        stage.run(
            .merge(
                stage.pending("a").id(1), stage.pending("b").id(1), stage.pending("c").id(1)))
        #expect(stage.started.elements == ["c"])
        stage.settle("c")
        #expect(stage.got == ["c"])
    }

    @Test("T1: a feedback ends a group whose part has replaced another")
    func aFeedbackEndsSuchAGroup() {
        let screen = screen
        let store = Store<Int, Event>(
            initialState: 1,
            reducer: Reducer { state, event in event == .run("end") ? 0 : state },
            feedback: [
                Feedback {
                    $0 == 1 ? $0 : nil
                } effect: { _ in
                    screen
                }
            ])
        #expect(stage.started.elements == ["second"])
        store.dispatch(event: .run("end"))
        #expect(stage.cancelled.elements == ["second"])
        #expect(store.effectsUnderWay == 0)
    }
}

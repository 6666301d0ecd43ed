import Pledge
import PledgeStores
import Testing

/// The states of a store, as its reducer and its observers saw them.
@Suite struct StoreMachinePictures {
    private enum Event: Sendable { case load, loaded, show }

    private let run = MachineRun(startingIn: "idle")
    private let scheduler = ManualScheduler()
    /// Why the next event is reduced.
    private let causes = ExampleLog()
    private let stopped = ExampleLog()

    /// A store whose reducer and observer note what they see.
    private func makeStore() -> Store<Int, Event> {
        let (run, causes, stopped, scheduler) = (run, causes, stopped, scheduler)
        let store = Store<Int, Event>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                run.move(to: "reducing", because: causes.lines.last ?? "")
                state += 1
                guard case .load = event else { return .none }
                let answer = Future(value: Event.loaded).delay(.seconds(1), on: scheduler)
                return .future(answer.always(stopped.adder("stopped")))
            }))
        store.subscribe { [weak store] old, new in
            guard old != nil else { return }
            let isNext = run.state == "telling observers"
            run.move(
                to: "telling observers", because: isNext ? "the next change" : "a change is queued")
            guard new == 1 else { return }
            causes.add("an observer dispatches")
            store?.dispatch(.show)
            run.move(to: "telling observers", because: "a change is queued")
        }
        return store
    }

    @Test func store() throws {
        var store: Store<Int, Event>? = makeStore()
        causes.add("dispatch(_:)")
        store?.dispatch(.load)
        run.move(to: "idle", because: "the queue is empty")
        causes.add("an effect's event")
        scheduler.advance(by: .seconds(1))
        run.move(to: "idle", because: "the queue is empty")
        #expect(store?.state == 3 && stopped.lines.count == 1)

        causes.add("dispatch(_:)")
        store?.dispatch(.load)
        run.move(to: "idle", because: "the queue is empty")
        store = nil
        #expect(stopped.lines.count == 2)
        run.move(to: "gone", because: "its last user releases it")
        try draw()
    }

    private func draw() throws {
        let picture = Picture(
            "store-states", title: "The states of a store",
            description: """
                dispatch, or an effect's event, takes an idle store to reducing. The change enters the queue, and the \
                store tells its observers. If an observer dispatches, the store reduces at once, and the \
                new change waits in the queue. When the queue is empty the store is idle. When its last user \
                releases it, it is gone: subscriptions end and effects are cancelled.
                """)
        let drawing = MachinePicture(
            picture,
            states: [
                "idle": .init(middle: PicturePoint(x: 90, y: 150)),
                "reducing": .init(middle: PicturePoint(x: 400, y: 150)),
                "telling observers": .init(middle: PicturePoint(x: 740, y: 150)),
                "gone": .init(
                    middle: PicturePoint(x: 90, y: 30),
                    note: "subscriptions end, effects are cancelled"),
            ])
        try drawing.drawn(
            run,
            routes: [
                "telling observers → reducing": .bent(by: -45),
                "telling observers → idle": .bent(by: -110),
            ]
        ).check()
    }
}

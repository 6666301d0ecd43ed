import Pledge
import PledgeObservation
import Testing

/// Calls through a stack of policies on virtual time, for one panel of a picture.
struct PolicyRun {
    /// What a server does with a request.
    enum Answer {
        case succeeds(after: Duration)
        case fails(after: Duration)
    }

    /// What a call asks for, which does no harm if it is asked twice.
    struct Query: Sendable, Hashable, Replayable {
        var name: String
        let isReplayable = true
    }

    struct Broken: Error {}

    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    /// A server that answers its requests so, one after the other, and all further ones as the last.
    func server(_ answers: Answer...) -> Service<Query, String> {
        let (scheduler, count) = (scheduler, ExampleLog())
        return { query in
            count.add(query.name)
            switch answers[min(count.lines.count, answers.count) - 1] {
            case .succeeds(let delay): return Future(value: "answer").delay(delay, on: scheduler)
            case .fails(let delay):
                return Future(value: ()).delay(delay, on: scheduler).map { throw Broken() }
            }
        }
    }

    /// Puts policies around a service, and records its calls under their names.
    func recorded(
        _ policies: Middleware<Query, String>..., over service: @escaping Service<Query, String>
    ) -> Service<Query, String> {
        let observed: Middleware<Query, String> = .observed(
            by: recorder.observer, on: scheduler, named: { $0.name })
        return observed(Middleware(stacking: policies)(service))
    }

    /// Makes calls at instants, in milliseconds from the first, until all have ended.
    func panel(
        _ heading: String, _ load: Service<Query, String>, _ calls: [(at: Int, name: String)]
    ) throws -> WaterfallPicture.Panel {
        for call in calls {
            let wait = Duration.milliseconds(call.at) - scheduler.now.offset
            if wait > .zero { scheduler.advance(by: wait) }
            load(Query(name: call.name)).observe { _ in }
        }
        scheduler.run()
        return WaterfallPicture.Panel(heading: heading, trace: try CallTrace(of: recorder))
    }
}

extension Picture {
    /// A waterfall with the right use of a policy above a wrong one.
    static func comparing(
        _ name: String, title: String, description: String,
        _ panels: [WaterfallPicture.Panel],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let picture = Picture(name, title: title, description: description)
        try WaterfallPicture(picture, panels: panels).drawn()
            .check(sourceLocation: sourceLocation)
    }
}

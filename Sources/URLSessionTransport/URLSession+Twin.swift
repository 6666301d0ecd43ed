#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Futures

extension URLSession {
    /// The session whose tasks may be cancelled at any time: this one where it has no cache, else
    /// its twin, which has the same configuration but the cache.
    ///
    /// On Linux a task of a session with a cache ends the process when it is cancelled while the
    /// cache is asked.
    var cancellable: URLSession {
        configuration.urlCache == nil ? self : Twins.shared.twin(of: self)
    }

    /// Makes a task that is cancelled safely, and that keeps the body of every answer.
    func makeTask(
        with request: URLRequest, _ watch: TaskWatch,
        _ completion: @escaping TaskCollector.Completion
    ) -> URLSessionTask {
        if delegate == nil {
            let twin = Twins.shared.twin(of: self)
            if let collector = twin.delegate as? TaskCollector {
                let task = twin.dataTask(with: request)
                collector.add(task, watch, completion)
                return task
            }
        }
        let task = cancellable.dataTask(with: request, completionHandler: completion)
        watch.watch(task)
        return task
    }
}

/// The twins of the sessions that have a cache, each kept as long as its session lives.
private final class Twins: Sendable {
    static let shared = Twins()

    private struct Pair {
        weak var session: URLSession?
        let twin: URLSession
    }

    private let pairs = Locked([ObjectIdentifier: Pair]())

    func twin(of session: URLSession) -> URLSession {
        let (twin, orphans) = pairs.withLock { pairs in
            // An address may be used again, by a session that is another one.
            if let pair = pairs[ObjectIdentifier(session)], pair.session === session {
                return (pair.twin, [URLSession]())
            }
            let orphans = pairs.filter { $0.value.session == nil }
            for key in orphans.keys { pairs[key] = nil }
            let twin = makeTwin(of: session)
            pairs[ObjectIdentifier(session)] = Pair(session: session, twin: twin)
            return (twin, orphans.values.map(\.twin))
        }
        for orphan in orphans { orphan.finishTasksAndInvalidate() }
        return twin
    }

    private func makeTwin(of session: URLSession) -> URLSession {
        let configuration =
            session.configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration,
            delegate: session.delegate ?? TaskCollector(),
            delegateQueue: session.delegateQueue
        )
    }
}
#else
import Foundation

extension URLSession {
    /// Itself: any task may be cancelled at any time.
    var cancellable: URLSession { self }

    func makeTask(
        with request: URLRequest, _ watch: TaskWatch,
        _ completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionTask {
        dataTask(with: request, completionHandler: completion)
    }
}
#endif

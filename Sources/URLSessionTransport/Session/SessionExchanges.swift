import Dispatch
import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// All that is under way on one session, whose delegate it is.
///
/// An exchange is in the table from before its task begins until its outcome is known; what URLSession
/// tells of a task that is in the table no more means nothing. The lock is never held while URLSession
/// or a future is called, but for the answer to a question, which URLSession only queues.
final class SessionExchanges: NSObject, Sendable {
    /// Who waits for an exchange.
    enum Recipient {
        case whole(Promise<HTTPResponse>)
    }

    struct Entry {
        let request: HTTPRequest
        let task: URLSessionTask
        let recipient: Recipient
        var machine: ExchangeMachine
        var timers: [any ScheduledAction] = []
    }

    struct State {
        var session: URLSession?
        var entries: [Int: Entry] = [:]
        /// Calls that make a task at this moment: the session must not be invalidated meanwhile.
        var starting = 0
        var isClosed = false
        var isCancelling = false
        var isInvalidated = false
    }

    let state = Locked(State())
    let configuration: SessionTransport.Configuration
    let scheduler: any Scheduler
    let closed = Promise<Void>()

    init(_ configuration: SessionTransport.Configuration, _ scheduler: some Scheduler) {
        self.configuration = configuration
        self.scheduler = scheduler
    }

    /// Makes the session.
    func open(_ configuration: URLSessionConfiguration) {
        let session = URLSession(
            configuration: configuration, delegate: self, delegateQueue: DelegateQueue())
        state.withLock { $0.session = session }
    }
}

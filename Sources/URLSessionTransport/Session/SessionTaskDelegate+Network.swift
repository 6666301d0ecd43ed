#if !canImport(FoundationNetworking)
import Foundation
import PledgeHTTPNetworking

extension SessionTaskDelegate {
    /// Notes that a task waits for a network.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        exchange(task.taskIdentifier)?.expectNothing()
        passOn(session, waitOf: task)
    }

    /// Notes which connection a task had; URLSession tells it before the task's end.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let times = metrics.transactionMetrics.map(TransactionTimes.init)
        let report = ConnectionMetrics(times, since: metrics.taskInterval.start)
        if let report { exchange(task.taskIdentifier)?.note(report) }
        passOn(session, metrics, of: task)
    }

    #if canImport(ObjectiveC)
    /// The delegate of the app's session, which URLSession does not tell what it has told the task's.
    private func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)? {
        isGuest ? session.delegate as? any URLSessionTaskDelegate : nil
    }

    private func passOn(_ session: URLSession, waitOf task: URLSessionTask) {
        appDelegate(of: session)?.urlSession?(session, taskIsWaitingForConnectivity: task)
    }

    private func passOn(
        _ session: URLSession, _ metrics: URLSessionTaskMetrics, of task: URLSessionTask
    ) {
        appDelegate(of: session)?.urlSession?(session, task: task, didFinishCollecting: metrics)
    }
    #endif

    // Against stand-ins there are no optional requirements.
    #if !canImport(ObjectiveC)
    private func passOn(_ session: URLSession, waitOf task: URLSessionTask) {}

    private func passOn(
        _ session: URLSession, _ metrics: URLSessionTaskMetrics, of task: URLSessionTask
    ) {}
    #endif
}

extension TransactionTimes {
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        self.init(
            isFromNetwork: metrics.resourceFetchType == .networkLoad,
            protocolName: metrics.networkProtocolName,
            isReusedConnection: metrics.isReusedConnection,
            remoteAddress: metrics.remoteAddress,
            remotePort: metrics.remotePort.map { "\($0)" },
            domainLookupEnd: metrics.domainLookupEndDate, connectEnd: metrics.connectEndDate,
            secureConnectionStart: metrics.secureConnectionStartDate,
            secureConnectionEnd: metrics.secureConnectionEndDate,
            responseStart: metrics.responseStartDate)
    }
}
#endif

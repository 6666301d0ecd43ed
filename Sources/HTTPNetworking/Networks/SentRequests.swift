package import PledgeFutures
package import PledgeHTTPMessages
import PledgeHTTPTransportKit
package import PledgeServices

/// Calls a service; notes the sent request in the attempt's record if the service itself doesn't do so.
///
/// - Parameter isCompleting: True if the response and the error are to have the request and its URL, unless they have them
///   already.
@inline(__always)
package func sendRecorded<Output: HTTPResponseHead>(
    _ request: HTTPRequest, in context: CallContext, completing isCompleting: Bool = false,
    _ service: Service<HTTPRequest, Output>
) -> Future<Output> {
    guard let record = context.record else {
        let answer = service(request)
        return isCompleting ? answer.replacingAtEnd { $0.completed(with: request) } : answer
    }
    return sendRecorded(request, in: context, completing: isCompleting, service, record)
}

private func sendRecorded<Output: HTTPResponseHead>(
    _ request: HTTPRequest, in context: CallContext, completing isCompleting: Bool,
    _ service: Service<HTTPRequest, Output>, _ record: CallRecord
) -> Future<Output> {
    do {
        let mark = try record.willSend(replayable: request.isReplayable)
        let answer = context.with(record: record.part(presuming: mark)).call(service, request)
        // A result that is there needs no closure.
        if let result = answer.result {
            record.endRequest(mark, CallRecord.Fate(of: result))
            return isCompleting
                ? result.completed(with: request).map(Future.init(result:)) ?? answer : answer
        }
        return answer.replacingAtEnd { result in
            record.endRequest(mark, CallRecord.Fate(of: result))
            return isCompleting ? result.completed(with: request) : nil
        }
    } catch {
        return Future(error: error)
    }
}

extension Result where Success: HTTPResponseHead, Failure == any Error {
    /// Returns the response with a request and its URL, or the error with the request; nil if nothing is missing.
    fileprivate func completed(with request: HTTPRequest) -> Result? {
        guard case .success(var response) = self, response.url == nil else {
            return withRequest(request)
        }
        response.url = request.url
        return .success(response.withRequest(request))
    }
}

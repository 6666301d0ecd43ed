import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A transport made from a function that returns whole responses.
struct FunctionTransport: HTTPTransport {
    let service: HTTPService
    /// The client's clock.
    var scheduler: any Scheduler = LiveScheduler.live

    /// Notes in the attempt's record what is sent, and names the request, as transports do, if the function does not.
    ///
    /// A cache above learns by the request whether a key was added beneath it.
    ///
    /// The function does not tell when bytes of a body leave that is read while it is sent: all its time is taken for
    /// that of an upload, which limits of time do not count.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let context = CallContext.current
        let future = sendRecorded(request, in: context, service).naming(request)
        guard request.body.isReadWhileSent, let record = context.record, !future.isSettled else {
            return future
        }
        record.begin(.upload, on: scheduler)
        return future.onEnd { _ in record.end(.upload) }
    }
}

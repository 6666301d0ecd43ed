import Futures
import HTTPNetworking

/// Who waits for an exchange.
enum ExchangeRecipient {
    case whole(InternalPromise<HTTPResponse>)
    case streamed(InternalPromise<HTTPStreamedResponse>)
    /// The caller that waited for a stream has it. A promise keeps its value, and this one the body, whose
    /// reader would never be seen to leave.
    case served

    func delivery(_ configuration: SessionTransport.Configuration) -> ExchangeMachine.Delivery {
        switch self {
        case .whole: .whole(upTo: configuration.maxBodySize)
        case .streamed, .served: .streamed
        }
    }

    /// Registers what to do when the response is no longer wanted.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        switch self {
        case .whole(let promise): promise.onCancel(handler)
        case .streamed(let promise): promise.onCancel(handler)
        case .served: break
        }
    }

    /// Hands out a whole response; who wanted a stream has it already.
    func succeed(with response: HTTPResponse) {
        if case .whole(let promise) = self { promise.resolve(with: response) }
    }

    /// Hands out the headers, to who wanted a stream.
    func succeed(with head: HTTPResponse, _ body: HTTPBodyStream) {
        guard case .streamed(let promise) = self else { return }
        promise.resolve(with: HTTPStreamedResponse(head, body: body))
    }

    /// Tells why there will be no response.
    func fail(with error: any Error) {
        switch self {
        case .whole(let promise): promise.reject(with: error)
        case .streamed(let promise): promise.reject(with: error)
        case .served: break
        }
    }
}

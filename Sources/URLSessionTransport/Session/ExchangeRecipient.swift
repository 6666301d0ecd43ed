import Futures
import HTTPNetworking

/// Where the result of an exchange is delivered.
enum ExchangeRecipient {
    case whole(InternalPromise<HTTPResponse>)
    case streamed(InternalPromise<HTTPStreamedResponse>)
    /// The caller that waited for a stream has received it. A promise would keep its value, and the value
    /// would keep the body, so the release of the body by its reader would not be noticed.
    case served

    func delivery(_ configuration: SessionTransport.Configuration) -> ExchangeMachine.Delivery {
        switch self {
        case .whole: .whole(upTo: configuration.maxBodySize)
        case .streamed, .served: .streamed
        }
    }

    /// Registers a closure that is called when nothing waits for the response any more.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        switch self {
        case .whole(let promise): promise.onCancel(handler)
        case .streamed(let promise): promise.onCancel(handler)
        case .served: break
        }
    }

    /// Delivers a whole response; does nothing for a stream, which has been delivered already.
    func succeed(with response: HTTPResponse) {
        if case .whole(let promise) = self { promise.resolve(with: response) }
    }

    /// Delivers the headers and the body's stream, if the caller asked for a stream.
    func succeed(with head: HTTPResponse, _ body: HTTPBodyStream) {
        guard case .streamed(let promise) = self else { return }
        promise.resolve(with: HTTPStreamedResponse(head, body: body))
    }

    /// Fails the future with the reason why there is no response.
    func fail(with error: any Error) {
        switch self {
        case .whole(let promise): promise.reject(with: error)
        case .streamed(let promise): promise.reject(with: error)
        case .served: break
        }
    }
}

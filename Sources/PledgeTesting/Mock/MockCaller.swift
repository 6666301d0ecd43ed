import Pledge

/// The caller of a ``MockCall``, at one of the two levels of a network.
enum MockCaller: Sendable {
    /// A caller of a `Networking`, which gets the body of a success.
    case ofNetworking(InternalPromise<Data>)
    /// A caller of an `HTTPService`, which gets the response of any status.
    case ofService(InternalPromise<HTTPResponse>)

    var hasAnswer: Bool {
        switch self {
        case .ofNetworking(let promise): promise.result != nil
        case .ofService(let promise): promise.result != nil
        }
    }

    func onCancel(_ action: @escaping @Sendable () -> Void) {
        switch self {
        case .ofNetworking(let promise): promise.onCancel(action)
        case .ofService(let promise): promise.onCancel(action)
        }
    }

    func reject(with error: any Error) {
        switch self {
        case .ofNetworking(let promise): promise.reject(with: error)
        case .ofService(let promise): promise.reject(with: error)
        }
    }

    /// Settles with an answer.
    ///
    /// - Returns: False if there was an answer before.
    func hear(_ answer: MockAnswer, to call: MockCall) -> Bool {
        switch self {
        case .ofNetworking(let promise):
            promise.settle(with: Result { try answer.body(for: call.endpoint) })
        case .ofService(let promise):
            promise.settle(with: Result { try answer.response(to: call.request) })
        }
    }
}

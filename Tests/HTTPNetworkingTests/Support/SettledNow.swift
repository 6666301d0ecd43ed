import Futures

extension Future {
    /// The value, if there is one now.
    var valueNow: Value? { try? result?.get() }

    /// The error, if there is one now.
    var errorNow: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

package import Futures

extension Future {
    /// The value, if there is one now.
    package var valueNow: Value? { try? result?.get() }

    /// The error, if there is one now.
    package var errorNow: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

import PledgeFutures

/// The error of the tests.
///
/// Two errors are equal if their numbers are.
struct TestError: Error, Equatable {
    var number = 0
}

extension Future where Value: Equatable {
    /// The value, if it has succeeded.
    var valueNow: Value? { try? result?.get() }
}

extension Future {
    /// The error, if it has failed.
    var errorNow: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    /// The code of the framework's own error, if it has failed with one.
    var codeNow: FutureError.Code? { (errorNow as? FutureError)?.code }

    /// Whether it has been cancelled.
    var isCancelled: Bool { errorNow is CancellationError }
}

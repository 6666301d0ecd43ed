public import PledgeFutures
public import PledgeServices

// Most apps show `localizedDescription`, and Foundation's default for it is only the name of the type and a
// number.

extension HTTPError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension DecodingFailure: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension Endpoint.Error: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension FileError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension ServiceError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension AttemptSuperseded: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension PaginationError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension FutureError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

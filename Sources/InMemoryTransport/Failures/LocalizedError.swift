extension MemoryTransport.AnswerFailure: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension MemoryTransport.UnmatchedCall: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

public import PledgeServices

extension Endpoint: NamedInput {
    /// The same as ``description``.
    public var loggedName: String { description }
}

extension HTTPRequest: NamedInput {
    /// The same as ``description``.
    public var loggedName: String { description }
}

#if HTTPTypes
public import HTTPNetworking
public import HTTPTypes

extension HTTPMethod {
    /// Makes the same method of one of HTTPTypes.
    public init(_ method: HTTPTypes.HTTPRequest.Method) { self.init(rawValue: method.rawValue) }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Makes the same method of one of Pledge; nil where its word is no token.
    public init?(_ method: HTTPMethod) { self.init(rawValue: method.rawValue) }
}
#endif

#if HTTPTypes
public import PledgeHTTPNetworking
public import HTTPTypes

extension HTTPMethod {
    /// Makes the method from the same method of HTTPTypes.
    public init(_ method: HTTPTypes.HTTPRequest.Method) { self.init(rawValue: method.rawValue) }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Makes the method from the same method of Pledge; nil if it is not a token.
    public init?(_ method: HTTPMethod) { self.init(rawValue: method.rawValue) }
}
#endif

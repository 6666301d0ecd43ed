import Pledge

// snippet: requests-middleware
func caching(_ client: HTTPClient) -> Networking {
    stack(.cache(), over: client.networking)
}
// error: cannot convert return expression of type '@Sendable (HTTPRequest) -> Future<Data>' to return type 'Networking' (aka '@Sendable (Endpoint) -> Future<Data>')
// error: cannot convert value of type 'Networking' (aka '@Sendable (Endpoint) -> Future<Data>') to expected argument type '@Sendable (HTTPRequest) -> Future<Data>'
// error: referencing static method 'cache(sharing:)' on 'Middleware' requires the types 'Data' and 'HTTPResponse' be equivalent
// end snippet

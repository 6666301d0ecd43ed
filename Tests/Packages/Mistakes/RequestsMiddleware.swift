import Pledge

// snippet: requests-middleware
func caching(_ client: HTTPClient) -> Networking {
    stack(.cache(), over: client.networking)
}
// error: 'cache(sharing:)' is unavailable: a cache needs requests and responses: set client.cache, or write makeNetworking(over: stack(.cache(), over: send), base: server)
// end snippet

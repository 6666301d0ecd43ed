import Pledge

// snippet: endpoint-for-request
func placeOrder(by client: HTTPClient) -> Future<Int> {
    client.send(Endpoint(path: "/orders", method: .post)).map(\.status)
}
// error: cannot convert value of type 'Endpoint' to expected argument type 'HTTPRequest'
// end snippet

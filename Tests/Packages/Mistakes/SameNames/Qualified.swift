import HTTPTypes
import NIOHTTP1
import Pledge

func send(_ request: Pledge.HTTPRequest, with client: HTTPClient) async throws {
    let headers: Pledge.HTTPHeaders = ["Accept": "text/csv"]
    let response: Pledge.HTTPResponse = try await client.send(request)
    print(headers, response)
}

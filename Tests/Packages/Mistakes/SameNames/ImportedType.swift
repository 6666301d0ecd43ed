import HTTPTypes
import NIOHTTP1
import Pledge

import struct PledgeHTTPMessages.HTTPHeaders
import struct PledgeHTTPMessages.HTTPMethod
import struct PledgeHTTPMessages.HTTPRequest
import struct PledgeHTTPMessages.HTTPResponse

func send(_ request: HTTPRequest, with client: HTTPClient) async throws -> HTTPResponse {
    let headers: HTTPHeaders = ["Accept": "text/csv"]
    let method: HTTPMethod = .get
    print(headers, method)
    return try await client.send(request)
}
func other(_ request: HTTPTypes.HTTPRequest, _ headers: NIOHTTP1.HTTPHeaders) -> String? {
    request.path
}

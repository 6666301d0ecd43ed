import Foundation
import Pledge

func client() -> HTTPClient {
    HTTPClient(base: server, over: { request in HTTPResponse(status: 200) })
}

import Foundation
import Pledge

func film(to file: URL, with client: HTTPClient) async throws -> Int64 {
    // expected-error@+1 {{value of type 'HTTPDownload' has no member 'value'}}
    try await client.download("/film.mp4", to: file).value.byteCount
}

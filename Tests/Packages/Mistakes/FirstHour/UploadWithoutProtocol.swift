import Foundation
import Pledge

func film(in file: URL, with client: HTTPClient) async throws {
    // expected-error@+1 {{missing argument for parameter 'by' in call}}
    _ = try await client.upload(file, to: "/films")
}

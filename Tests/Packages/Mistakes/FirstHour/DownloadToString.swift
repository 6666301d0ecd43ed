import Foundation
import Pledge

func film(with client: HTTPClient) async throws {
    // expected-error@+1 {{value of type 'String' to expected argument type 'URL'}}
    _ = try await client.download("/film.mp4", to: "Films/film.mp4")
}

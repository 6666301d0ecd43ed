/// An error of ours whose text holds no secret, so that an ``HTTPError`` with this cause shows it.
protocol ShownCause: Error, CustomStringConvertible {}

extension FileError: ShownCause {}

extension MultipartError: ShownCause {}

extension DecompressionFailure: ShownCause {}

extension Endpoint.Error: ShownCause {}

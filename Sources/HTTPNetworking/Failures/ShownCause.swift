/// An error of this package whose text contains no secret, so that an ``HTTPError`` with this cause shows it.
package protocol ShownCause: Error, CustomStringConvertible {}

extension FileError: ShownCause {}

extension Endpoint.Error: ShownCause {}

import PledgeFutures
public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Reports how many bytes of each request's body the transport has taken.
    ///
    /// See ``HTTPRequest/Body/reportingProgress(to:)``. Each of several simultaneous calls counts separately.
    ///
    /// - Parameter report: Called with the number of bytes so far, and the number of all bytes; nil if that
    ///   is not known.
    public static func uploadProgress(
        _ report: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> Middleware {
        Middleware { next in
            { request in
                var request = request
                request.body = request.body.reportingProgress(to: report)
                return next(request)
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Reports how much of each response's body was read.
    ///
    /// See ``HTTPBodyStream/reportingProgress(to:)``. Each of several simultaneous calls counts separately.
    ///
    /// - Parameter report: Called with the number of bytes so far, and the number of all bytes; nil if that
    ///   is not known.
    public static func downloadProgress(
        _ report: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> Middleware {
        Middleware { next in
            { request in
                next(request).mapWithoutOrigin { response in
                    var response = response
                    response.body = response.body.reportingProgress(to: report)
                    return response
                }
            }
        }
    }
}
